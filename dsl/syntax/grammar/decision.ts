import type { IToken } from "chevrotain";

type Alternatives = readonly { readonly GATE?: (() => boolean) | undefined }[];
type Tokens = readonly number[];

interface Reader {
  LA(howMuch: number): IToken;
}

/** Which alternative the next token begins. */
export type Choice = (this: Reader, alternatives?: Alternatives) => number | undefined;

/** Whether the next token begins an optional part. */
export type Entry = (this: Reader) => boolean;

/** Decides by the tokens that each alternative can begin with; among several a gate decides. */
export function choice(firsts: readonly Tokens[]): Choice {
  const byToken: number[][] = [];
  for (const [index, tokens] of firsts.entries()) {
    for (const token of tokens) (byToken[token] ??= []).push(index);
  }
  return function (alternatives) {
    const possible = byToken[this.LA(1).tokenTypeIdx];
    if (possible === undefined || possible.length === 1) return possible?.[0];
    return possible.find((index) => alternatives?.[index]?.GATE?.() ?? true);
  };
}

/** Decides by the tokens that an optional part can begin with. */
export function entry(firsts: Tokens): Entry {
  const begins: boolean[] = [];
  for (const token of firsts) begins[token] = true;
  return function () {
    return begins[this.LA(1).tokenTypeIdx] === true;
  };
}
