import type { Context } from "./context.ts";
import { atIndex } from "./elements.ts";
import type { ShellWord, Value, Variable } from "./state.ts";
import { cut, plain } from "./text.ts";

/** One round of `getopts letters name [words]`: is there another option? */
export function getopts(words: readonly ShellWord[], { state, text }: Context): boolean | null {
  const [letters, name, ...given] = words;
  const span = (name ?? letters)?.span ?? text.spanOf(0, 0);
  const { variables } = state;
  const set = (variable: string, value: Value | string | null): void => {
    const held: Value | null = typeof value === "string" ? [{ text: value, span, quoted: true }] : value;
    const next: Variable = held === null ? { kind: "unknown", span } : { kind: "text", value: held, span };
    variables.set(variable, next);
  };
  const lost = (): null => {
    for (const each of [name?.text ?? "", "OPTARG", "OPTIND"]) set(each, null);
    return null;
  };
  const list = given.length > 0 ? given.map(({ pieces }) => pieces) : state.positional;
  const before = variables.get("OPTIND");
  const at =
    before === undefined ? 1 : before.kind === "text" ? Number(plain(before.value) ?? Number.NaN) : Number.NaN;
  if (letters?.text === null || letters === undefined || typeof name?.text !== "string" || !Number.isInteger(at))
    return lost();
  const value = atIndex(list, at - 1);
  if (value === null) return lost();
  const word = value === undefined ? "" : plain(value);
  if (word === null) return lost();
  const end = (next: number): false => {
    set(name.text ?? "", "?");
    set("OPTIND", String(next));
    state.letter = 1;
    return false;
  };
  if (word === "--") return end(at + 1);
  if (!/^-./.test(word)) return end(at);
  const letter = word[state.letter] ?? "";
  const isLast = state.letter + 1 >= word.length;
  const place = letter === ":" ? -1 : letters.text.replace(/^:/, "").indexOf(letter);
  const takes = place >= 0 && letters.text.replace(/^:/, "")[place + 1] === ":";
  const isSilent = letters.text.startsWith(":");
  const go = (next: number): void => {
    set("OPTIND", String(next));
    state.letter = 1;
  };
  if (!takes) {
    set(name.text, place < 0 ? "?" : letter);
    if (place < 0 && isSilent) set("OPTARG", letter);
    else variables.delete("OPTARG");
    if (isLast) go(at + 1);
    else state.letter += 1;
    return true;
  }
  const attached = isLast ? null : behind(value ?? [], state.letter + 1);
  const argument = attached ?? atIndex(list, at);
  if (argument === null) return lost();
  go(attached === null ? at + 2 : at + 1);
  if (argument === undefined) {
    set(name.text, isSilent ? ":" : "?");
    if (isSilent) set("OPTARG", letter);
    return true;
  }
  set(name.text, letter);
  set("OPTARG", argument);
  return true;
}

/** A value less its first letters. */
function behind(value: Value, letters: number): Value {
  let left = letters;
  return value.flatMap((piece) => {
    const length = piece.text?.length ?? 0;
    const from = Math.min(left, length);
    left -= from;
    return from === length && length > 0 ? [] : [cut(piece, from, length)];
  });
}
