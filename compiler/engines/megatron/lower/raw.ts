/** `raw megatron { … }`: keys are arguments, with underscores or hyphens, or the names that the engine's code reads them under. */
import type { Document } from "../../../document.ts";
import type { Word } from "../../word.ts";
import type { Span } from "../../../../dsl/source/source.ts";
import { converted, wordsForList, type Wrong } from "../convert.ts";
import type { Argument, ArgumentTable } from "../table.ts";

export interface RawArgument {
  readonly key: string;
  readonly span: Span;
  readonly argument: Argument;
  readonly value: unknown;
}

export type RawFault =
  | { readonly kind: "unknown"; readonly key: string; readonly span: Span }
  | { readonly kind: "switch"; readonly argument: Argument; readonly span: Span; readonly key: string }
  | { readonly kind: "count"; readonly argument: Argument; readonly span: Span; readonly key: string }
  | (Wrong & { readonly span: Span; readonly key: string });

export function readRaw(
  raw: Readonly<Record<string, Document>>,
  spanOf: (key: string) => Span,
  table: ArgumentTable,
): { readonly given: readonly RawArgument[]; readonly faults: readonly RawFault[] } {
  const given: RawArgument[] = [];
  const faults: RawFault[] = [];
  for (const [key, document] of Object.entries(raw)) {
    const span = spanOf(key);
    const name = `--${key.replace(/^-+/, "").replaceAll("_", "-")}`;
    const byName = table.byName.get(name);
    const argument = byName ?? table.all.find(({ dest }) => dest === key);
    if (argument === undefined) {
      faults.push({ kind: "unknown", key, span });
      continue;
    }
    if (document === null) {
      // `none` takes back what would have been said: the engine's own default holds.
      const usual = argument.default ?? argument.action !== "store_true";
      given.push({ key, span, argument, value: argument.action === undefined ? null : usual });
      continue;
    }
    if (argument.action !== undefined) {
      if (typeof document !== "boolean") faults.push({ kind: "switch", argument, span, key });
      else {
        // Under its own name a switch is said to be given; under the name of what it switches, that is said.
        const isNegative =
          argument.action === "store_false" || (argument.action === "boolean_optional" && name.startsWith("--no-"));
        given.push({ key, span, argument, value: byName !== undefined && isNegative ? !document : document });
      }
      continue;
    }
    const words = wordsIn(document, argument).map((text): Word => ({ text, span }));
    // `true` alone says nothing that a value could be.
    if (typeof document === "boolean" || !isCount(argument, words.length)) {
      faults.push({ kind: "count", argument, span, key });
      continue;
    }
    const { value, wrong } = converted(argument, name, words);
    if (wrong.length > 0) faults.push(...wrong.map((one) => ({ ...one, span, key })));
    else given.push({ key, span, argument, value });
  }
  return { given, faults };
}

function wordsIn(document: Document, argument: Argument): readonly string[] {
  if (Array.isArray(document)) return wordsForList(argument, (document as readonly Document[]).map(String));
  return typeof document === "object" ? [] : [String(document)];
}

function isCount({ nargs }: Argument, count: number): boolean {
  if (nargs === undefined) return count === 1;
  if (nargs === "*") return true;
  if (nargs === "?") return count <= 1;
  return nargs === "+" ? count >= 1 : count === Number(nargs);
}
