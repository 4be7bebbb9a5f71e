/** Values of an example that nobody has filled in. */
import type { Run } from "../launch.ts";
import { placeholdersIn } from "../shell/placeholders.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { rule, type ForeignRule, type Found } from "./rule.ts";

const run = (more: string): string =>
  `torchrun --nproc_per_node 8 train.py --output_dir out --per_device_train_batch_size 4 ${more}\n`;

/** Names that only examples have; what else stands in brackets may be a token of a vocabulary, such as `<pad>` and `[MASK]`. */
const unfilled: readonly RegExp[] = [
  /(?:^|[/=])path[_/]to(?:[/_]|$)/,
  /(?:^|[\W_])(?:your[_-][a-z]|YOUR[_-][A-Z])/,
  /^(?:<[A-Z][A-Z0-9_]*>|\[[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\])$/,
  /^<[^<>|]*(?: |YOUR|[Yy]our|path)[^<>|]*>$/,
];
const token = /^<(?:PAD|EOS|BOS|EOT|EOD|UNK|MASK|SEP|CLS|S)>$/;
const isUnfilled = (text: string): boolean => !token.test(text) && unfilled.some((shape) => shape.test(text));

interface Place {
  readonly text: string;
  readonly span: Span;
}

function told(places: readonly Place[], says: (names: string) => string): readonly Found[] {
  const [first, ...others] = [...new Map(places.map((each) => [each.text, each])).values()];
  if (first === undefined) return [];
  const names = [first, ...others].slice(0, 4).map(({ text }) => text);
  const more = others.length > 3 ? ` and ${others.length - 3} more` : "";
  return [
    {
      span: first.span,
      message: says(`${names.join(", ")}${more}`),
      related: others.slice(0, 8).map(({ span }) => ({ message: "and here", span })),
    },
  ];
}

const wordsOf = ({ args, launcher, command: { env } }: Run): readonly Place[] => [
  ...args.flatMap(({ text, span }) => (text === null ? [] : [{ text, span }])),
  ...[...launcher.settings.values()].flatMap(({ value, span }) =>
    typeof value === "string" ? [{ text: value, span }] : [],
  ),
  ...[...env.values()].flatMap(({ value, span }) => (value === null ? [] : [{ text: value, span }])),
];

export const placeholderRules: readonly ForeignRule[] = [
  rule({
    name: "shell-placeholder",
    severity: "warning",
    source: "bash(1): REDIRECTION",
    why: "A name in angle brackets is for whoever uses the example to replace. Left as it is, the shell reads a file of that name and writes into one that is called like the next word, which the program then does not get.",
    fix: "Write a value in place of each.",
    check: ({ scripts }) =>
      scripts.flatMap(({ source }) =>
        told(
          placeholdersIn(source.text)
            .filter(({ isRead }) => isRead)
            .map(({ start, end, text }) => ({ text, span: { source, start, end } })),
          (names) => `${names}: a placeholder, whose \`<\` the shell takes for a redirection`,
        ),
      ),
    fires: { "run.sh": run("--model_name_or_path <MODEL> --bf16") },
    silent: { "run.sh": run("--model_name_or_path $MODEL --bf16") },
  }),
  rule({
    name: "unfilled",
    severity: "info",
    source: "what examples are written with",
    why: "The value is one of an example: somebody has to replace it before the launch can start. Rules that need it say nothing.",
    fix: "Write a value in place of each.",
    check: ({ runs }) =>
      runs.flatMap((each) =>
        told(
          wordsOf(each).filter(({ text }) => isUnfilled(text)),
          (names) => `to be filled in: ${names}`,
        ),
      ),
    fires: { "run.sh": run("--model_name_or_path /path/to/model --bf16") },
    silent: { "run.sh": run("--model_name_or_path /data/model --bf16") },
  }),
];
