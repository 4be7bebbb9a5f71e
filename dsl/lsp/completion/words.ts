/** What the tokens of a line say by themselves. */
import type { Token } from "../../lexer/token.ts";
import * as t from "../../lexer/vocabulary.ts";

/** How many tokens the dotted path at the beginning takes. */
export function pathLength(line: readonly Token[]): number {
  let length = 0;
  while (line[length]?.tokenType === t.Identifier) {
    if (line[length + 1]?.tokenType !== t.Dot) return length + 1;
    length += 2;
  }
  return length;
}

export const namesOf = (tokens: readonly Token[]): string[] =>
  tokens.filter((token) => token.tokenType === t.Identifier).map((token) => token.image);

/** `["a", "b"]` before the dot of `x = a.b.`. */
export function dottedBefore(line: readonly Token[]): readonly string[] {
  const path: string[] = [];
  for (let at = line.length - 1; line[at]?.tokenType === t.Dot; at -= 2) {
    const name = line[at - 1];
    if (name?.tokenType !== t.Identifier) return [];
    path.unshift(name.image);
  }
  return path;
}

export const endsInUnit = (line: readonly Token[]): boolean => {
  const at = line.findLastIndex((token) => token.tokenType === t.NumberToken);
  return at >= 0 && line.slice(at + 1).every((token) => [t.Identifier, t.Slash].includes(token.tokenType));
};

export const textIn = (tokens: readonly Token[]): string | null =>
  tokens.find((token) => token.tokenType === t.StringToken)?.image.slice(1, -1) ?? null;
