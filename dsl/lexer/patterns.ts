/** The patterns of the vocabulary, tried in its order. */
import type { CustomPatternMatcherReturn, TokenType } from "chevrotain";
import { lexed } from "./vocabulary.ts";

export interface Match {
  readonly type: TokenType;
  readonly image: string;
  readonly payload: unknown;
}

interface Pattern {
  readonly type: TokenType;
  readonly match: (text: string, at: number) => Omit<Match, "type"> | null;
}

const patterns = lexed.map((type): Pattern => ({ type, match: matcherOf(type) }));

/** By the character of ASCII that a token begins with. */
const beginning = Array.from({ length: 128 }, (_, code) =>
  patterns.filter(({ type }) => canBegin(type, String.fromCharCode(code))),
);

/** What the first pattern that matches finds at a place. */
export function matchAt(text: string, at: number): Match | null {
  for (const { type, match } of beginning[text.charCodeAt(at)] ?? patterns) {
    const found = match(text, at);
    if (found !== null) return { type, image: found.image, payload: found.payload };
  }
  return null;
}

function canBegin({ PATTERN, START_CHARS_HINT: hint }: TokenType, first: string): boolean {
  if (typeof PATTERN === "string") return PATTERN.startsWith(first);
  return hint === undefined || hint.includes(first);
}

function matcherOf({ PATTERN: pattern }: TokenType): Pattern["match"] {
  if (typeof pattern === "string")
    return (text, at) => (text.startsWith(pattern, at) ? { image: pattern, payload: undefined } : null);
  if (pattern instanceof RegExp) {
    const sticky = new RegExp(pattern.source, "y");
    return (text, at) => {
      sticky.lastIndex = at;
      const image = sticky.exec(text)?.[0];
      return image === undefined ? null : { image, payload: undefined };
    };
  }
  const { exec } = pattern as { exec: (text: string, at: number) => CustomPatternMatcherReturn | null };
  return (text, at) => {
    const found = exec(text, at);
    return found === null ? null : { image: found[0], payload: found.payload };
  };
}
