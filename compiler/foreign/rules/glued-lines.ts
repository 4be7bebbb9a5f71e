/** Lines that a backslash joins without a blank between their words. */
import type { ShellWord } from "../shell/state.ts";
import { rule, type ForeignRule, type Found } from "./rule.ts";

/** `model\` and `--template` on the next line are one word. */
function glued({ text, span }: ShellWord): readonly Found[] {
  // As long as it is written: no backslash was taken out of it.
  if (text?.length === span.end - span.start) return [];
  const written = span.source.text.slice(span.start, span.end);
  if (!written.includes("\\")) return [];
  const joint = /[^\s\\"'=](\\\r?\n)(--[A-Za-z][\w-]*)/.exec(written);
  // Within quotes it is text.
  if (joint === null || /["'`]/.test(written)) return [];
  const end = span.start + joint.index + joint[0].length;
  const start = end - (joint[2] ?? "").length;
  return [
    {
      span: { ...span, start, end },
      message: `no space separates the word above from ${joint[2]}: bash joins them into one word`,
      fixes: [
        {
          title: "add a space",
          edits: [
            {
              span: { ...span, start: span.start + joint.index + 1, end: span.start + joint.index + 1 },
              newText: " ",
            },
          ],
        },
      ],
    },
  ];
}

const head = "torchrun --nproc-per-node=8 train.py --model_name_or_path m";

export const gluedLineRules: readonly ForeignRule[] = [
  rule({
    name: "shell-glued-lines",
    source: "bash(1): QUOTING (a backslash and the newline after it are removed)",
    why: "A backslash removes the newline and inserts nothing. Without a space before it or at the start of the next line, the last word of one line and the option of the next become one word, and the option is lost.",
    fix: "Put a space before the backslash.",
    check: ({ runs }) => runs.flatMap(({ command }) => command.words.flatMap(glued)),
    fires: { "run.sh": `${head}\\\n--bf16 True\n` },
    silent: { "run.sh": `${head} \\\n--bf16 True\n` },
  }),
];
