/**
 * Cuts a text into tokens as Chevrotain's lexer would with the same vocabulary, which a test holds. What nearly every token
 * is (a word, a string, a whole number, a sign that nothing goes on) is read here; the rest asks the patterns in their order.
 */
import { numberEnd } from "./number.ts";
import { plainEnd } from "./string.ts";
import { isPrefix } from "./string-prefix.ts";
import { makeToken, type Token, type TokenType } from "./token.ts";
import { matchAt } from "./patterns.ts";
import * as t from "./vocabulary.ts";

export interface Scan {
  /** Without comments; doc comments are among them. */
  readonly tokens: Token[];
  readonly comments: readonly Token[];
  /** What begins no token. */
  readonly errors: readonly { readonly start: number; readonly length: number }[];
  /** Whether some string has to be opened up, or stands behind a prefix. */
  readonly hasStringsToOpen: boolean;
}

/** The tokens of a stretch of a text; `null` where one goes beyond its end. */
export function scan(text: string, start: number, end: number): Scan | null {
  const tokens: Token[] = [];
  const comments: Token[] = [];
  const errors: Scan["errors"][number][] = [];
  let hasStringsToOpen = false;
  let at = start;
  while (at < end) {
    const begin = at;
    const code = text.charCodeAt(at);
    switch (classOf(code)) {
      case blank:
        at += 1;
        continue;
      case letter: {
        let hash = code;
        let next = text.charCodeAt(++at);
        while (isWord(next)) {
          hash = (31 * hash + next) | 0;
          next = text.charCodeAt(++at);
        }
        tokens.push(made(identifier, wordAt(text, begin, at, hash), begin, undefined));
        continue;
      }
      case lineEnd: {
        const isPair = code === 13 && text.charCodeAt(at + 1) === 10;
        at += isPair ? 2 : 1;
        tokens.push(made(newline, isPair ? "\r\n" : code === 13 ? "\r" : "\n", begin, undefined));
        continue;
      }
      case digit:
        at = numberEnd(text, at);
        tokens.push(made(number, textAt(text, begin, at), begin, undefined));
        continue;
      case quote: {
        const close = plainEnd(text, at);
        if (close === null) break;
        at = close;
        const token = made(string, text.slice(begin, at), begin, text.slice(begin + 1, at - 1));
        hasStringsToOpen ||= isPrefix(tokens[tokens.length - 1], token);
        tokens.push(token);
        continue;
      }
      case sign: {
        const next = classOf(text.charCodeAt(at + 1));
        if (code === point ? next !== letter : next === sign || next === other) break;
        at += 1;
        const kind = signs[code] ?? comma;
        tokens.push(made(kind, kind.image, begin, undefined));
        continue;
      }
      case bracket: {
        at += 1;
        const kind = signs[code] ?? comma;
        tokens.push(made(kind, kind.image, begin, undefined));
        continue;
      }
      default:
    }
    const found = matchAt(text, at);
    if (found === null) {
      do at += 1;
      while (at < end && classOf(text.charCodeAt(at)) !== blank && matchAt(text, at) === null);
      errors.push({ start: begin, length: at - begin });
      continue;
    }
    const { type, image, payload } = found;
    at += image.length;
    if (type === t.OddBlank) continue;
    const token = makeToken(type, image, begin, payload);
    if (type === t.StringToken) hasStringsToOpen = true;
    if (type === t.Comment || type === t.Doc) comments.push(token);
    if (type !== t.Comment) tokens.push(token);
  }
  words.fill(undefined);
  return at > end ? null : { tokens, comments, errors, hasStringsToOpen };
}

// ---- tokens ----

/** What the tokens of a type share, at hand: Chevrotain's types have many shapes. */
interface Kind {
  readonly type: TokenType;
  readonly index: number;
  /** Of a type whose tokens are all written alike. */
  readonly image: string;
}

const kindOf = (type: TokenType): Kind => ({
  type,
  index: type.tokenTypeIdx ?? 0,
  image: typeof type.PATTERN === "string" ? type.PATTERN : "",
});

const [identifier, number, string, newline, comma] = [
  kindOf(t.Identifier),
  kindOf(t.NumberToken),
  kindOf(t.StringToken),
  kindOf(t.Newline),
  kindOf(t.Comma),
] as const;

const made = ({ type, index }: Kind, image: string, startOffset: number, payload: unknown): Token => ({
  image,
  startOffset,
  tokenTypeIdx: index,
  tokenType: type,
  payload,
});

// ---- characters ----

const [other, blank, letter, digit, quote, lineEnd, bracket, sign] = [0, 1, 2, 3, 4, 5, 6, 7] as const;
const point = 46;

const classes = new Uint8Array(128);
const signs: (Kind | undefined)[] = [];

const say = (characters: string, what: number): void => {
  for (const each of characters) classes[each.charCodeAt(0)] = what;
};
say(" \t", blank);
say("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", letter);
say("0123456789", digit);
say('"', quote);
say("\r\n", lineEnd);
say("{}()[],", bracket);
say("=<>:.+-*/|", sign);
for (const type of t.lexed)
  if (typeof type.PATTERN === "string" && type.PATTERN.length === 1) signs[type.PATTERN.charCodeAt(0)] = kindOf(type);

const classOf = (code: number): number => (code < 128 ? (classes[code] ?? other) : other);

const isWord = (code: number): boolean => code < 128 && (classes[code] === letter || classes[code] === digit);

// ---- words ----

/** The words of the text at hand by a hash of theirs: what a file says often is one string, cut once. */
const words: (string | undefined)[] = Array.from({ length: 1024 });

function textAt(text: string, start: number, end: number): string {
  let hash = 0;
  for (let at = start; at < end; at++) hash = (31 * hash + text.charCodeAt(at)) | 0;
  return wordAt(text, start, end, hash);
}

function wordAt(text: string, start: number, end: number, hash: number): string {
  const place = hash & (words.length - 1);
  const known = words[place];
  if (known !== undefined && known.length === end - start && isAt(known, text, start)) return known;
  const word = text.slice(start, end);
  words[place] = word;
  return word;
}

function isAt(word: string, text: string, start: number): boolean {
  for (let at = 0; at < word.length; at++) if (word.charCodeAt(at) !== text.charCodeAt(start + at)) return false;
  return true;
}
