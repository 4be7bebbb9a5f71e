/** Calls in the text of a Python program, with the words that they are given. Nothing of it is run. */
import type { Source, Span } from "../../dsl/source/source.ts";

export interface Call {
  /** As it is written, with what stands in front of the last dot: `deepspeed.initialize`. */
  readonly name: string;
  readonly span: Span;
  /** What is given by name, as it is written. */
  readonly named: ReadonlyMap<string, string>;
  readonly inOrder: readonly string[];
  /** `*args` or `**kwargs` bring more that nobody sees. */
  readonly isOpen: boolean;
}

/** Longer calls hold data. */
const longest = 20_000;

const known = new WeakMap<Source, readonly Call[]>();

export function callsIn(source: Source): readonly Call[] {
  const calls = known.get(source) ?? read(source);
  known.set(source, calls);
  return calls;
}

/** The text with blanks for what strings and comments hold. */
export function codeOf(text: string): string {
  const blank = (all: string): string => all.replaceAll(/[^\n]/g, " ");
  return text.replaceAll(
    /#[^\n]*|"""(?:[^\\]|\\[^])*?"""|'''(?:[^\\]|\\[^])*?'''|"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'/g,
    (all) => (all.startsWith("#") ? blank(all) : `${all[0] ?? ""}${blank(all.slice(1, -1))}${all.at(-1) ?? ""}`),
  );
}

function read(source: Source): readonly Call[] {
  const code = codeOf(source.text);
  return [...code.matchAll(/(?<![\w.])(def\s+|class\s+)?([A-Za-z_][\w.]*)\s*\(/g)].flatMap(
    ({ 0: all, 1: definition, 2: name = "", index }) => {
      if (definition !== undefined || keywords.has(name)) return [];
      const start = index + all.length;
      const parts = partsFrom(code, start);
      if (parts === null) return [];
      const named = new Map<string, string>();
      const inOrder: string[] = [];
      let isOpen = false;
      for (const [from, to] of parts) {
        const written = source.text.slice(from, to).trim();
        const [, key, value = ""] = /^([A-Za-z_]\w*)\s*=(?!=)\s*([^]*)$/.exec(written) ?? [];
        if (written.startsWith("*")) isOpen = true;
        else if (key !== undefined) named.set(key, value);
        else if (written !== "") inOrder.push(written);
      }
      return [{ name, span: { source, start: index, end: index + name.length }, named, inOrder, isOpen }];
    },
  );
}

const keywords = new Set([
  "if",
  "elif",
  "while",
  "for",
  "in",
  "and",
  "or",
  "not",
  "return",
  "assert",
  "with",
  "print",
]);

/** Where the arguments of a call begin and end; `null` where it does not end. */
function partsFrom(code: string, start: number): readonly (readonly [number, number])[] | null {
  const parts: [number, number][] = [];
  let depth = 0;
  let from = start;
  for (let at = start; at < code.length && at - start < longest; at++) {
    const letter = code.charAt(at);
    if ("([{".includes(letter)) depth++;
    else if (")]}".includes(letter) && depth-- === 0) return [...parts, [from, at]];
    else if (letter === "," && depth === 0) {
      parts.push([from, at]);
      from = at + 1;
    }
  }
  return null;
}

/** What a literal text holds; `null` where a value is computed. */
export const textOfLiteral = (written: string | undefined): string | null =>
  /^[rbu]?(["'])([^"'\\]*)\1$/.exec(written ?? "")?.[2] ?? null;

/** `None`, or nothing at all. */
export const isNone = (written: string | undefined): boolean => written === undefined || written === "None";
