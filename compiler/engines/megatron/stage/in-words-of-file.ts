/** What the engine would say, in the words of the file: an argument that a property decides has that property's name. */
import type { Diagnostic } from "../../../../dsl/diagnostics/diagnostic.ts";
import type { Intent } from "../lower/intent.ts";

/** Properties that stand under another name in a plan. */
const renamed: Readonly<Record<string, string>> = {
  "batch.global_batch": "batch",
  "batch.micro_batch": "micro_batch",
  "batch.sequence": "context",
};

/** Parts of a stage whose numbers are arguments as they are. */
const groups = /^(?:model|layout|optimizer)\./;

/** What a family decides, and no property by itself. */
const ofFamily: ReadonlyMap<string, string> = new Map([
  ["--num-experts", "a model with experts"],
  ["--multi-latent-attention", "a model with latent attention"],
]);

/** `null` where the argument is no number that a property says. */
function propertyOf({ from, value, open }: Intent): string | null {
  if (open === true || typeof value !== "number") return null;
  return renamed[from] ?? (groups.test(from) ? from.replace(groups, "") : null);
}

const optionOf = (dest: string): string => `--${dest.replaceAll("_", "-")}`;

export function inWordsOfFile(intents: readonly Intent[]): (diagnostic: Diagnostic) => Diagnostic {
  const names = new Map(
    intents.flatMap((intent) => {
      const name = propertyOf(intent);
      return name === null ? [] : [[optionOf(intent.dest), `\`${name}\``]];
    }),
  );
  const given = new Set(intents.filter(({ open }) => open !== true).map(({ dest }) => optionOf(dest)));
  // What nothing in the file decides can be said in a raw block.
  const named = (flag: string): string =>
    names.get(flag) ??
    ofFamily.get(flag) ??
    (given.has(flag) ? flag : `\`${flag.slice(2).replaceAll("-", "_")}\` of \`raw megatron { … }\``);
  const told = (text: string): string => text.replaceAll(/--[a-z][\w-]*/g, named);
  return (diagnostic) => ({
    ...diagnostic,
    message: told(diagnostic.message),
    fix: told(diagnostic.fix),
    related: diagnostic.related.map((each) => ({ ...each, message: told(each.message) })),
  });
}
