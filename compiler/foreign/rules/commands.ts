/** Where bash ends a command, or reads a word, other than its writer meant. */
import type { Span } from "../../../dsl/source/source.ts";
import type { ShellWord } from "../shell/state.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

const run = "torchrun --nproc-per-node=8 train.py";

/** Blanks behind a backslash that was meant to continue the line. */
const blanksAfter = /^\\([ \t]+)(?=\r?\n|$)/;

const writtenAt = ({ span }: ShellWord): string => span.source.text.slice(span.start);

export const commandRules: readonly ForeignRule[] = [
  rule({
    name: "shell-line-ends",
    source: "bash(1): blanks and newlines separate words; a carriage return is neither",
    why: "A script saved with Windows line endings has a carriage return at the end of each line. bash takes it as part of the last word, and a `\\` before it does not continue the line.",
    fix: "Save the script with LF line endings: sed -i 's/\\r$//' FILE, or dos2unix.",
    check: ({ scripts }) =>
      scripts.flatMap(({ source, pods }): readonly Found[] => {
        // YAML ends its lines either way.
        if (pods !== null || !source.text.includes("\r")) return [];
        const ends = [...source.text.matchAll(/\r(?=\n)/g)].map(({ index }) => spanIn(source, index, index + 1));
        const [first] = ends;
        if (first === undefined) return [];
        return [
          {
            span: first,
            message: "lines of this script end in CRLF: bash sees a `\\r` at the end of the last word of each",
            fixes: [{ title: "use LF line endings", edits: ends.map((span) => ({ span, newText: "" })) }],
          },
        ];
      }),
    fires: { "run.sh": `N=8\r\n${run}\r\n` },
    silent: { "run.sh": `N=8\n${run}\n` },
  }),
  rule({
    name: "shell-blank-after-backslash",
    source: "bash(1): only a backslash right before the newline continues a line",
    why: "A backslash before a space makes that space an argument. The line is not continued, and what follows is a separate command.",
    fix: "Remove the spaces after the backslash.",
    check: ({ scripts }) =>
      scripts.flatMap(({ commands }) =>
        commands.flatMap(({ words }) =>
          words.flatMap((word): readonly Found[] => {
            if (word.text?.trim() !== "") return [];
            const { source, start } = word.span;
            const backslash = source.text[start] === "\\" ? start : start - 1;
            const blanks = blanksAfter.exec(source.text.slice(backslash))?.[1];
            if (blanks === undefined) return [];
            const span = spanIn(source, backslash + 1, backslash + 1 + blanks.length);
            return [
              {
                span,
                message: "the space after the backslash ends the command",
                fixes: [{ title: "remove the space", edits: [{ span, newText: "" }] }],
              },
            ];
          }),
        ),
      ),
    fires: { "run.sh": `${run} \\ \n  --bf16 True\n` },
    silent: { "run.sh": `${run} \\\n  --bf16 True\n` },
  }),
  rule({
    name: "shell-continuation",
    source: "bash(1): a comment ends at its newline, and with it the command that it stands in",
    why: "A line that begins with an option is a separate command if the line above does not end in `\\`. A comment between continued lines also ends the command, whatever it ends in. The options are lost, and bash reports `command not found` only after the training has ended.",
    fix: "End the line above with a backslash, or move the comment out of the command.",
    check: ({ scripts }) =>
      scripts.flatMap(({ commands }) =>
        commands.flatMap(({ words }): readonly Found[] => {
          const [word] = words;
          if (word?.text === undefined || !/^--?[A-Za-z]/.test(word.text ?? "")) return [];
          const cut = cutBefore(word.span);
          return cut === null ? [] : [cut];
        }),
      ),
    fires: { "run.sh": `${run} \\\n  # --fp16 True \\\n  --bf16 True\n` },
    silent: { "run.sh": `${run} \\\n  --bf16 True # --fp16 True\n` },
  }),
  rule({
    name: "shell-equals",
    source: "bash(1): words are separated by blanks; an assignment has none around its `=`",
    why: "With spaces around it, `=` is a word by itself: an option gets `=` as its value, and `GPUS = 8` runs a program called GPUS.",
    fix: "Remove the spaces around =.",
    check: ({ scripts, runs }) => {
      const started = new Set(runs.map(({ command }) => command.words));
      return scripts.flatMap(({ commands }) =>
        commands.flatMap((command) =>
          command.words.flatMap((word, at, words): readonly Found[] => {
            if (word.text !== "=" || !writtenAt(word).startsWith("=")) return [];
            const [before, after] = [words[at - 1], words[at + 1]];
            if (before === undefined) return [];
            const assigned = at === 1 && /^[A-Za-z_]\w*$/.test(before.text ?? "") && !compares.has(before.text ?? "");
            const option = started.has(command.words) && before.text?.startsWith("-") === true;
            if (!assigned && !option) return [];
            const { source } = word.span;
            const edit = { span: spanIn(source, before.span.end, after?.span.start ?? word.span.end), newText: "=" };
            return [
              {
                span: word.span,
                message: assigned
                  ? `with spaces around \`=\` bash runs a command called ${before.text}`
                  : `with spaces around it, \`=\` is the value of ${before.text}`,
                fixes: [{ title: "remove the spaces", edits: [edit] }],
              },
            ];
          }),
        ),
      );
    },
    fires: { "run.sh": "GPUS = 8\ntorchrun --nproc-per-node = 8 train.py\n" },
    silent: { "run.sh": "GPUS=8\ntorchrun --nproc-per-node=8 train.py\n[ $GPUS = 8 ]\n" },
  }),
  rule({
    name: "shell-colon",
    source: "Python argparse, click and typer: names of options are letters, digits, `-`, `_` and `.`",
    why: "`--name: value` is YAML syntax. On a command line the colon is part of the name, and no program has such an option.",
    fix: "Write --name value, or --name=value.",
    check: ({ runs }) =>
      runs.flatMap(({ command }) =>
        command.words.flatMap(({ text, span }): readonly Found[] => {
          if (text?.endsWith(":") !== true || !/^--[A-Za-z][\w.-]*:$/.test(text)) return [];
          const colon = { ...span, start: span.end - 1 };
          const isWritten = span.source.text.slice(colon.start, colon.end) === ":";
          return [
            {
              span,
              message: `${text} ends in a colon, which no option does`,
              valid: [text.slice(0, -1)],
              ...(isWritten ? { fixes: [{ title: "remove the colon", edits: [{ span: colon, newText: "" }] }] } : {}),
            },
          ];
        }),
      ),
    fires: { "run.sh": `${run} --bf16: True\n` },
    silent: { "run.sh": `${run} --bf16 True\n` },
  }),
  rule({
    name: "shell-dash",
    source: "Python: argparse prefix_chars; options begin with U+002D",
    why: "A word processor turns `--` into a dash. A word that begins with a dash is not an option: it becomes a value, or an unknown argument.",
    fix: "Write two hyphens: --.",
    check: ({ runs }) =>
      runs.flatMap(({ command }) =>
        command.words.flatMap((word): readonly Found[] => {
          // Only what begins beyond ASCII is asked.
          if (word.span.source.text.charCodeAt(word.span.start) < 128) return [];
          const dash = /^[‐-―−]+-*(?=[A-Za-z][\w-]*(?:=|\s|$))/.exec(writtenAt(word))?.[0];
          if (dash === undefined) return [];
          const { source, start } = word.span;
          const span = spanIn(source, start, start + dash.length);
          return [
            {
              span,
              message: `this begins with the dash \`${dash[0]}\`, not with \`--\`: it is not an option`,
              fixes: [{ title: "write --", edits: [{ span, newText: "--" }] }],
            },
          ];
        }),
      ),
    fires: { "run.sh": `${run} –-bf16 True\n` },
    silent: { "run.sh": `${run} --bf16 True --run_name "a – b"\n` },
  }),
];

/** Programs that compare with `=`. */
const compares: ReadonlySet<string> = new Set(["test", "expr", "let"]);

function spanIn(source: Span["source"], start: number, end: number): Span {
  return { source, start, end };
}

/** What ended the command of which an option that begins a line was meant to be part. */
function cutBefore(option: Span): Found | null {
  const { source, start } = option;
  const name = /^[\w-]+/.exec(source.text.slice(start))?.[0] ?? "this option";
  const own = `bash runs ${name} as a separate command`;
  const line = source.text.lastIndexOf("\n", start - 1) + 1;
  if (line === 0 || source.text.slice(line, start).trim() !== "") return { span: option, message: own };
  let from = line;
  let above = "";
  while (from > 0) {
    // `lastIndexOf` takes an offset below 0 for 0.
    const begin = from < 2 ? 0 : source.text.lastIndexOf("\n", from - 2) + 1;
    above = source.text.slice(begin, from - 1);
    if (!/^\s*(?:#.*)?$/.test(above)) break;
    from = begin;
  }
  if (from === 0) return { span: option, message: own };
  if (blanksAfter.test(above.slice(above.lastIndexOf("\\")))) return null;
  if (from === line) {
    const end = from - 1 - (above.endsWith("\r") ? 1 : 0);
    return {
      span: option,
      message: `the line above does not end in \`\\\`: ${own}`,
      fixes: [{ title: "continue the line above", edits: [{ span: spanIn(source, end, end), newText: " \\" }] }],
    };
  }
  const between = spanIn(source, from, line);
  const comment = source.text.slice(from, line).includes("#");
  return {
    span: option,
    message: `${comment ? "the comment" : "the empty line"} above ends the command: ${own}`,
    ...nearby("this ends it", spanIn(source, from, line - 1)),
    fixes: [{ title: "remove the lines between", edits: [{ span: between, newText: "" }] }],
  };
}
