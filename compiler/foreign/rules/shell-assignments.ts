/** Assignments that are none, since blanks stand around their `=`. */
import type { ShellCommand, ShellWord } from "../shell/state.ts";
import { rule, type ForeignRule, type Found } from "./rule.ts";

const train = "torchrun --nproc-per-node=8 train.py\n";
const declares: ReadonlySet<string> = new Set(["export", "declare", "typeset", "readonly", "local"]);
const isName = (word: ShellWord | undefined): boolean => /^[A-Za-z_]\w*=?$/.test(word?.text ?? "");

/** `export N = 8`: bash takes each word for a name to export. */
function declared({ words }: ShellCommand): readonly Found[] {
  if (!declares.has(words[0]?.text ?? "")) return [];
  const at = words.findIndex((word, index) => index > 0 && /^[=\d]/.test(word.text ?? ""));
  const [before, word] = [words[at - 1], words[at]];
  if (at < 1 || word === undefined) return [];
  const value = word.text === "=" ? words[at + 1] : word;
  const isSplit = at > 1 && isName(before) && value !== undefined;
  return [
    {
      span: word.span,
      message: `${words[0]?.text} takes \`${word.text}\` as a name, which it is not: ${isSplit ? `${(before?.text ?? "").replace(/=$/, "")} keeps the value that it had` : "nothing is assigned"}`,
      ...(isSplit && before !== undefined
        ? { fixes: [{ title: "remove the spaces", edits: [joinedBy(before, value)] }] }
        : {}),
    },
  ];
}

function joinedBy(before: ShellWord, value: ShellWord) {
  const { source } = before.span;
  const written = source.text.slice(value.span.start, value.span.end).replace(/^=/, "");
  const name = source.text.slice(before.span.start, before.span.end).replace(/=$/, "");
  return { span: { source, start: before.span.start, end: value.span.end }, newText: `${name}=${written}` };
}

/** `GPUS= 8` runs a program called 8, and `NODES =2` one called NODES. */
function ran({ words }: ShellCommand): readonly Found[] {
  const [first, second] = words;
  if (first === undefined || first.text === null) return [];
  const { source, start } = first.span;
  const emptied = /(?:^|[\s;&|(])([A-Za-z_]\w*)=[ \t]+$/.exec(
    source.text.slice(Math.max(0, start - 200), start),
  )?.[1];
  if (emptied !== undefined && /^\d+(?:\.\d+)?$/.test(first.text))
    return [{ span: first.span, message: `${emptied} is empty, and bash runs a command called ${first.text}` }];
  const behind = second?.text ?? "";
  const isAssigned = /^[A-Z_][A-Z0-9_]*$/.test(first.text) && behind.startsWith("=") && behind.length > 1;
  if (!isAssigned || second === undefined) return [];
  return [
    {
      span: first.span,
      message: `with a space before \`=\` bash runs a command called ${first.text}`,
      fixes: [{ title: "remove the space", edits: [joinedBy(first, second)] }],
    },
  ];
}

export const shellAssignmentRules: readonly ForeignRule[] = [
  rule({
    name: "shell-assignment",
    source: "bash(1): PARAMETERS, name=value without blanks; export: names that are no identifiers are refused",
    why: "bash assigns only if no space separates the name, `=` and the value. `export N = 8` fails and N stays as it was; `GPUS= 8` runs a program called 8 with GPUS empty.",
    fix: "Remove the spaces around =.",
    check: ({ scripts }) =>
      scripts.flatMap(({ commands }) => commands.flatMap((command) => [...declared(command), ...ran(command)])),
    fires: { "run.sh": `export N = 8\nGPUS= 8\nNODES =2\n${train}` },
    silent: { "run.sh": `export N=8\nGPUS=8\nNODES=2\nCUDA_VISIBLE_DEVICES= ${train}` },
  }),
];
