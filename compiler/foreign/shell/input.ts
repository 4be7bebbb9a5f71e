/** What `read`, `mapfile` and `xargs` take from their input. */
import type * as Shell from "unbash";
import { documentFrom, valueFrom, type Context } from "./expand.ts";
import type { ShellWord, Value, Variable } from "./state.ts";
import { cut, plain, type Piece } from "./text.ts";

/** The variables that a command of these fills: known where its input is, and the form is one of the usual. */
export function readInto(name: string, words: readonly ShellWord[], command: Shell.Command, context: Context): void {
  const { flags, rest } = optionsOf(words.slice(1));
  const names = rest.filter(({ text }) => /^[A-Za-z_]\w*$/.test(text ?? ""));
  const input = inputOf(command, context);
  const separated = context.state.variables.has("IFS") || command.prefix.length > 0;
  const [only] = names;
  const value =
    input === null || only === undefined || names.length > 1 ? null : valueOf(name, flags, input, only, separated);
  for (const word of names)
    context.state.variables.set(word.text ?? "", value ?? { kind: "unknown", span: word.span });
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

function valueOf(
  name: string,
  flags: string,
  input: Value,
  { span }: ShellWord,
  separated: boolean,
): Variable | null {
  if (name === "mapfile" || name === "readarray") {
    const lines = linesOf(input);
    return lines === null || flags !== "t" ? null : { kind: "list", values: lines, span };
  }
  if (name !== "read" || !/^[rsDa]*$/.test(flags)) return null;
  if (!flags.includes("r") && input.some(({ text }) => text?.includes("\\") === true)) return null;
  const read = flags.includes("D") ? input : linesOf(input)?.[0];
  if (read === undefined) return null;
  if (!flags.includes("a")) return { kind: "text", value: read, span };
  const fields = separated ? null : fieldsOf(read);
  return fields === null ? null : { kind: "list", values: fields, span };
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
  const fields = input.some(({ text }) => /["'\\]/.test(text ?? "")) ? null : fieldsOf(input);
  if (fields === null) return null;
  const read = fields.map((pieces): ShellWord => {
    const [{ span }] = pieces as [Piece];
    return { text: plain(pieces), span, from: [], pieces };
  });
  return [...command, ...read];
}

/** Words between blanks; `null` where an unknown stretch may itself have blanks. */
function fieldsOf(value: Value): readonly Value[] | null {
  if (plain(value) === null) return null;
  const fields: Piece[][] = [];
  let field: Piece[] | null = null;
  for (const piece of value)
    for (const { 0: run, index } of (piece.text ?? "").matchAll(/\s+|\S+/g)) {
      if (/^\s/.test(run)) field = null;
      else {
        if (field === null) fields.push((field = []));
        field.push({ ...cut(piece, index, index + run.length), quoted: true });
      }
    }
  return fields;
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
