/** Arithmetic over the variables of a script. */
import { parse } from "unbash";
import type * as Shell from "unbash";
import { arithmetic, type Numbers } from "./arithmetic.ts";
import type { Context } from "./context.ts";
import { atIndex, listOf, put } from "./elements.ts";
import { plain, type Piece } from "./text.ts";

/** Names may stand for expressions, that stand for names. */
const deepest = 8;

export function numbersOf(context: Context, span: Piece["span"], depth = 0, refuse?: (why: string) => void): Numbers {
  const { variables } = context.state;
  const read: Numbers["read"] = (word, parts) => {
    const text = textOf(word, parts, context);
    if (text !== null && !context.zsh && /^0\d*[89]\d*$/.test(text))
      refuse?.(`${text} is octal, like every number that begins with 0`);
    return text === null || depth > deepest ? null : (numberIn(text) ?? named(text));
  };
  const named = (text: string): number | null => {
    const [, name, index] = /^([A-Za-z_]\w*)(?:\[(.*)\])?$/s.exec(text) ?? [];
    if (name === undefined) return numberOf(text, context, depth + 1);
    const variable = variables.get(name);
    const value =
      variable?.kind === "map"
        ? variable.entries.get(index ?? "0")
        : atIndex(listOf(variable), index === undefined ? 0 : numberOf(index, context, depth + 1));
    const held = value === undefined || value === null ? null : plain(value);
    if (held === null) return null;
    return held.trim() === "" ? 0 : (numberIn(held.trim()) ?? numberOf(held, context, depth + 1));
  };
  const write: Numbers["write"] = (word, number) => {
    const [, name, index] = /^([A-Za-z_]\w*)(?:\[(.*)\])?$/s.exec(word.trim()) ?? [];
    if (name === undefined) return;
    const value = number === null ? null : [{ text: String(number), span, quoted: true }];
    if (index === undefined && variables.get(name)?.kind !== "list")
      variables.set(name, value === null ? { kind: "unknown", span } : { kind: "text", value, span });
    else put(variables, name, index === undefined ? 0 : numberOf(index, context, depth + 1), value, span);
  };
  return { read, write, ...(refuse === undefined ? {} : { refuse }) };
}

/** What text is as an arithmetic expression: an index, an offset, the words of `let`. */
export function numberOf(text: string, context: Context, depth = 0): number | null {
  if (depth > deepest || text.length > 1000) return null;
  const simple = numberIn(text.trim());
  if (simple !== null) return simple;
  context.spend(100);
  const command = parse(`((${text}))`).commands[0]?.command;
  const span = context.text.spanOf(0, 0);
  const inside: Context = { ...context, text: { text: `((${text}))`, spanOf: () => span } };
  return command?.type === "ArithmeticCommand"
    ? arithmetic(command.expression, numbersOf(inside, span, depth))
    : null;
}

/** The parser leaves a plain `$NAME` as it stands. */
function textOf(word: string, parts: readonly Shell.WordPart[] | undefined, context: Context): string | null {
  if (parts === undefined) {
    const name = /^\$(?:(\w+|#)|\{(\w+)\})$/.exec(word.trim());
    if (name === null) return word.includes("$") ? null : word.trim();
    const part = { type: "SimpleExpansion", pos: 0, end: 0, text: `$${name[1] ?? name[2]}` } as const;
    return plain(context.valueOf(part, context))?.trim() ?? null;
  }
  const text = parts.map((part) => plain(context.valueOf(part, context)));
  return text.includes(null) ? null : text.join("").trim();
}

/** `12`, `0x1f`, `010`, `2#101`. */
function numberIn(text: string): number | null {
  if (/^-?(?:0|[1-9]\d*)$/.test(text)) return Number(text);
  if (/^0x[0-9a-f]+$/i.test(text)) return Number(text);
  if (/^0[0-7]+$/.test(text)) return Number.parseInt(text, 8);
  const [, base, digits] = /^(\d{1,2})#([0-9a-z]+)$/i.exec(text) ?? [];
  if (base === undefined || digits === undefined || Number(base) < 2 || Number(base) > 36) return null;
  const value = Number.parseInt(digits, Number(base));
  return value.toString(Number(base)) === digits.toLowerCase().replace(/^0+(?=.)/, "") ? value : null;
}
