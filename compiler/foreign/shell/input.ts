/** What `read`, `mapfile` and `xargs` take from their input. */
import type * as Shell from "unbash";
import type { Context } from "./context.ts";
import { give } from "./elements.ts";
import { documentFrom, valueFrom } from "./expand.ts";
import { fieldsOf, separatorsOf } from "./fields.ts";
import type { ShellWord, Value, Variable } from "./state.ts";
import { cut, plain, type Piece } from "./text.ts";
import { wordOf } from "./word-of.ts";

/** The variables that a command of these fills: known where its input is, and the form is one of the usual. */
export function readInto(name: string, words: readonly ShellWord[], command: Shell.Command, context: Context): void {
  const { flags, rest } = optionsOf(words.slice(1));
  const names = rest.filter(({ text }) => /^[A-Za-z_]\w*$/.test(text ?? ""));
  const input = inputOf(command, context);
  const own = command.prefix.find((each) => each.type === "Assignment" && each.name === "IFS");
  const separators =
    own?.type === "Assignment" && own.value.type === "Word"
      ? plain(valueFrom(own.value, context))
      : separatorsOf(context.state);
  const values = input === null ? null : valuesOf(name, flags, input, names, separators);
  for (const [at, word] of names.entries())
    give(context.state.variables, word.text ?? "", values?.[at] ?? { kind: "unknown", span: word.span });
  for (const { text, span } of rest) {
    const element = /^([A-Za-z_]\w*)\[/.exec(text ?? "")?.[1];
    if (element !== undefined) context.state.variables.set(element, { kind: "unknown", span });
    else if (text === null) context.state.variables.forget(span);
  }
}

/** Letters without a value, `D` for a delimiter that no text has, and `?` for any other option. */
function optionsOf(words: readonly ShellWord[]): { readonly flags: string; readonly rest: readonly ShellWord[] } {
  let flags = "";
  let at = 0;
  for (; words[at]?.text?.startsWith("-") === true; at++) {
    const letters = words[at]?.text?.slice(1) ?? "";
    if (letters.endsWith("d")) flags += letters.slice(0, -1) + (words[++at]?.text === "" ? "D" : "?");
    else flags += letters;
  }
  return { flags, rest: words.slice(at) };
}

function valuesOf(
  name: string,
  flags: string,
  input: Value,
  names: readonly ShellWord[],
  separators: string | null,
): readonly Variable[] | null {
  const [only, ...others] = names;
  if (only === undefined) return null;
  const { span } = only;
  if (name === "mapfile" || name === "readarray") {
    const lines = linesOf(input);
    return lines === null || flags !== "t" ? null : [{ kind: "list", values: lines, span }];
  }
  if (name !== "read" || !/^[rsDa]*$/.test(flags)) return null;
  if (!flags.includes("r") && input.some(({ text }) => text?.includes("\\") === true)) return null;
  const read = flags.includes("D") ? input : (linesOf(input)?.[0] ?? null);
  if (read === null || separators === null) return null;
  const isPlain = others.length === 0 && !flags.includes("a");
  if (isPlain) {
    const value = trimmed(read, separators);
    return value === null ? null : [{ kind: "text", value, span }];
  }
  if (plain(read) === null) return null;
  const fields = fieldsOf(
    read.map((piece) => ({ ...piece, quoted: false })),
    separators,
  );
  if (flags.includes("a")) return [{ kind: "list", values: fields, span }];
  // The last name takes all that is left, with what separates it.
  if (fields.length > names.length) return null;
  return names.map((word, at) => ({ kind: "text", value: fields[at] ?? [], span: word.span }));
}

/** Blanks of IFS around a line are dropped; of a letter of it at the end nobody says whether it separates. */
function trimmed(value: Value, separators: string): Value | null {
  const blanks = separators.replace(/\S/g, "");
  const [first, last] = [value[0]?.text ?? "", value.at(-1)?.text ?? ""];
  if (separators.replace(/\s/g, "").includes(last.slice(-1)) && last !== "") return null;
  const isBlank = (char: string | undefined): boolean => char !== undefined && blanks.includes(char);
  let [front, back] = [0, 0];
  while (isBlank(first[front])) front++;
  while (isBlank(last[last.length - 1 - back])) back++;
  if (front === 0 && back === 0) return value;
  if (value.length > 1 && (front === first.length || back === last.length)) return null;
  return value.flatMap((piece, at) => {
    const length = piece.text?.length ?? 0;
    const [start, end] = [at === 0 ? front : 0, at === value.length - 1 ? length - back : length];
    return piece.text === null ? [piece] : end <= start ? [] : [cut(piece, start, end)];
  });
}

/** A here-document or a here-string on the input of a command. */
export function inputOf(command: Shell.Command, context: Context): Value | null {
  const inputs = command.redirects.filter(({ operator }) => operator.startsWith("<"));
  const each = inputs.at(-1);
  if (each === undefined || inputs.length > 1 || each.descriptor !== undefined) return null;
  if (each.type === "HereDoc") return documentFrom(each, context);
  return each.operator === "<<<" && each.target !== undefined ? valueFrom(each.target, context) : null;
}

/** `xargs` with the words of its input behind its command; `null` where the input or the form is not known. */
export function withInputWords(words: readonly ShellWord[], input: Value | null): readonly ShellWord[] | null {
  const [first, ...behind] = words;
  if (input === null || first?.text?.split("/").at(-1) !== "xargs") return null;
  const command = behind[0]?.text === "-r" ? behind.slice(1) : behind;
  if (command[0]?.text?.startsWith("-") !== false) return null;
  if (input.some(({ text }) => text === null || /["'\\]/.test(text))) return null;
  return [
    ...command,
    ...fieldsOf(
      input.map((piece) => ({ ...piece, quoted: false })),
      " \t\n",
    ).map(wordOf),
  ];
}

/** `null` where an unknown stretch may itself have lines. */
function linesOf(value: Value): readonly Value[] | null {
  if (plain(value) === null) return null;
  const lines: Piece[][] = [[]];
  for (const piece of value)
    for (const { 0: run, index } of (piece.text ?? "").matchAll(/\n|[^\n]+/g))
      if (run === "\n") lines.push([]);
      else lines.at(-1)?.push({ ...cut(piece, index, index + run.length), quoted: true });
  return lines.at(-1)?.length === 0 ? lines.slice(0, -1) : lines;
}
