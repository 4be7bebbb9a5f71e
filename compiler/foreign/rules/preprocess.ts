/** Megatron's own tool that tokenizes text before a training. */
import type { ShellCommand, ShellWord } from "../shell/state.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

const tool = "python tools/preprocess_data.py --input text.jsonl --output-prefix text --tokenizer-type NullTokenizer";

export const preprocessRules: readonly ForeignRule[] = [
  rule({
    name: "preprocess-partitions",
    source: "tools/preprocess_data.py: main",
    why: "Every partition of the input has the same number of workers. With a number that does not divide evenly, no workers are left.",
    fix: "Set --workers to a multiple of --partitions.",
    check: ({ scripts }) =>
      scripts
        .flatMap(({ commands }) => commands)
        .filter(isPreprocessing)
        .flatMap(({ words }): readonly Found[] => {
          const [workers, partitions] = [valueOf(words, "--workers"), valueOf(words, "--partitions")];
          const [each, parts] = [Number(workers?.text ?? Number.NaN), Number(partitions?.text ?? 1)];
          if (workers === undefined || words.some(({ text }) => text === "--find-optimal-num-workers")) return [];
          if (!Number.isInteger(each) || !Number.isInteger(parts) || parts < 1 || each % parts === 0) return [];
          return [
            {
              span: workers.span,
              message: `${each} workers cannot be divided evenly among ${parts} partitions`,
              ...nearby("the partitions", partitions?.span),
            },
          ];
        }),
    fires: { "run.sh": `${tool} --workers 12 --partitions 8\n` },
    silent: { "run.sh": `${tool} --workers 16 --partitions 8\n` },
  }),
];

const isPreprocessing = ({ words }: ShellCommand): boolean =>
  words.some(({ text }) => text === "preprocess_data.py" || text?.endsWith("/preprocess_data.py") === true);

/** `--name value` or `--name=value`, the last of them. */
function valueOf(words: readonly ShellWord[], name: string): ShellWord | undefined {
  const at = words.findLastIndex(({ text }) => text === name || text?.startsWith(`${name}=`) === true);
  const word = words[at];
  if (word === undefined || word.text === name) return at < 0 ? undefined : words[at + 1];
  return { ...word, text: word.text?.slice(name.length + 1) ?? null };
}
