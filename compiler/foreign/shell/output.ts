/** What a command would print, where that is plain: `echo`, `printf`, `seq`, `basename`, `expr` of whole numbers, and `cat` of a here-document. */
import type * as Shell from "unbash";
import { assign } from "./assign.ts";
import type { Context } from "./context.ts";
import { documentFrom, wordsFrom } from "./expand.ts";
import { isOpen, printed } from "./print.ts";
import { copyOf, type ShellWord, type Value } from "./state.ts";
import { cut, textOf, type Piece } from "./text.ts";

/** The last of commands prints, and those before it only assign. */
export function outputOf(script: Shell.ParsedScript | undefined, outer: Context): Value | null {
  if (script === undefined || script.commands.length === 0) return null;
  const context = substituted(script, outer);
  for (const { command } of script.commands.slice(0, -1)) {
    if (command.type !== "Command" || command.name !== undefined) return null;
    for (const each of command.prefix) if (each.type === "Assignment") assign(each, context);
  }
  const output = outputOfCommand(script.commands.at(-1)?.command, context);
  return output === null ? null : withoutLines(output);
}

/** In a shell of its own; text behind backslashes has places of its own, too. */
export function substituted({ source }: Shell.ParsedScript, outer: Context): Context {
  const text =
    source === undefined
      ? outer.text
      : { ...textOf({ path: "", text: source }), spanOf: () => outer.text.spanOf(0, 0) };
  return { ...outer, text, state: copyOf(outer.state) };
}

/** Lines that end what is substituted are dropped. */
export function withoutLines(value: Value): Value {
  const pieces = [...value];
  for (let last = pieces.at(-1); last?.text?.endsWith("\n") === true || last?.text === ""; last = pieces.at(-1)) {
    pieces.pop();
    const text = last?.text?.replace(/\n+$/, "") ?? "";
    if (last !== undefined && text !== "") return [...pieces, { ...last, text }];
  }
  return pieces;
}

/** Commands that do nothing but print. */
export const isPrinter = (name: string): boolean => /^(?:echo|printf|seq|basename|dirname|expr|cat)$/.test(name);

/** Does what it prints end in a line of its own accord? */
export const endsLine = (name: string, flag: string): boolean =>
  name === "echo" ? !/^-[eE]*n/.test(flag) : /^(?:seq|basename|dirname|expr)$/.test(name);

export const withLine = (said: Value, span: Piece["span"]): Value => [...said, { text: "\n", span, quoted: true }];

export function outputOfCommand(
  only: Shell.PipelineNode | Shell.AndOr | Shell.CompoundList | undefined,
  context: Context,
): Value | null {
  if (only?.type !== "Command") return null;
  const document = only.redirects.find((each): each is Shell.HereDoc => each.type === "HereDoc");
  const name = only.name?.value ?? "";
  if (name === "cat" && only.args.length === 0 && document !== undefined) return documentFrom(document, context);
  if (name === "cat" || !isPrinter(name) || only.redirects.length > 0) return null;
  if (context.state.functions.has(name)) return null;
  const words = only.args.flatMap((each) =>
    each.type === "Word"
      ? wordsFrom(each, context)
      : [
          {
            text: each.text,
            span: context.text.spanOf(each.pos, each.end),
            from: [],
            pieces: [
              {
                text: /[$`"'\\]/.test(each.text) ? null : each.text,
                span: context.text.spanOf(each.pos, each.end),
                quoted: true,
              },
            ],
          },
        ],
  );
  if (name === "echo" || name === "printf") return outputOfWords(name, words);
  const texts = words.map(({ text }) => text);
  const known = texts.filter((text) => text !== null);
  const text = known.length < texts.length ? null : plainly(name, known);
  return text === null
    ? null
    : [{ text, span: words[0]?.span ?? context.text.spanOf(only.pos, only.end), quoted: true }];
}

export function outputOfWords(name: "echo" | "printf", words: readonly ShellWord[]): Value | null {
  if (name === "echo") return echoed(words);
  return words[0]?.text === "-v" ? null : printed(words);
}

function echoed(words: readonly ShellWord[]): Value | null {
  const flag = /^-[neE]+$/.test(words[0]?.text ?? "") ? (words[0]?.text ?? undefined) : undefined;
  if (/^-[neE]+$/.test(words[flag === undefined ? 0 : 1]?.text ?? "")) return null;
  const behind = flag === undefined ? words : words.slice(1);
  const said = flag?.includes("e") === true ? escaped(behind) : behind;
  if (said === null) return null;
  // What may be no word at all has no blank before it.
  if (said.some((word, at) => isOpen(word) && (word.pieces.length > 1 || (at === 0 && said.length > 1)))) return null;
  return said.flatMap((word, at): readonly Piece[] =>
    at === 0 ? word.pieces : [{ text: " ", span: word.span, quoted: true }, ...word.pieces],
  );
}

/** `echo -e`: ends of lines and tabs; `null` where another letter stands behind a backslash. */
function escaped(words: readonly ShellWord[]): readonly ShellWord[] | null {
  if (words.some(({ pieces }) => pieces.some(({ text }) => /\\(?:[^nt]|$)/.test(text ?? "")))) return null;
  return words.map((word) => ({
    ...word,
    pieces: word.pieces.flatMap((piece): readonly Piece[] => {
      if (piece.text === null) return [piece];
      return [...piece.text.matchAll(/\\[nt]|[^\\]+/g)].map(({ 0: said, index }) =>
        said.startsWith("\\")
          ? { ...piece, text: said === "\\n" ? "\n" : "\t" }
          : cut(piece, index, index + said.length),
      );
    }),
  }));
}

function plainly(name: string, words: readonly string[]): string | null {
  const [first, second, third] = words;
  if (first === undefined || first.startsWith("--")) return null;
  switch (name) {
    case "basename": {
      const base = first.replace(/\/+$/, "").replace(/^.*\//s, "");
      if (words.length > 2 || base === "") return null;
      return second !== undefined && base !== second && base.endsWith(second)
        ? base.slice(0, -second.length || undefined)
        : base;
    }
    case "dirname": {
      if (words.length > 1) return null;
      const whole = first.replace(/(?<=.)\/+$/, "");
      const cut = whole.lastIndexOf("/");
      return cut < 0 ? "." : whole.slice(0, cut).replace(/\/+$/, "") || "/";
    }
    case "seq": {
      const numbers = words.map((word) => (/^-?(?:0|[1-9]\d*)$/.test(word) ? Number(word) : Number.NaN));
      const [from, by, to] =
        words.length === 1 ? [1, 1, numbers[0]] : words.length === 2 ? [numbers[0], 1, numbers[1]] : numbers;
      if (from === undefined || by === undefined || to === undefined || ![from, by, to].every(Number.isInteger))
        return null;
      const count = by === 0 || words.length > 3 ? 1001 : Math.max(0, Math.floor((to - from) / by) + 1);
      return count > 1000 ? null : Array.from({ length: count }, (_, at) => String(from + at * by)).join("\n");
    }
    default:
      return second === undefined || third === undefined || words.length > 3
        ? null
        : calculated(first, second, third);
  }
}

/** `expr A \* B`: of more than one operation only the shell's own arithmetic is read. */
function calculated(left: string, operator: string, right: string): string | null {
  if (![left, right].every((text) => /^-?\d+$/.test(text))) return null;
  const [a, b] = [Number(left), Number(right)];
  if (operator === "+") return String(a + b);
  if (operator === "-") return String(a - b);
  if (operator === "*") return String(a * b);
  if (b === 0) return null;
  if (operator === "/") return String(Math.trunc(a / b));
  return operator === "%" ? String(a % b) : null;
}
