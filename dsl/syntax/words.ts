/** Which words are keywords where they stand. A word before `=` `{` `:` or after `.` is a name, keyword or not. */
import { notIn } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { endOf, repair, retype, type Token, type TokenType } from "../lexer/token.ts";
import * as t from "../lexer/vocabulary.ts";
import type { Source } from "../source/source.ts";
import { boundOperators } from "./operators.ts";

/** A bracket that is open, or the file itself. */
export interface Opened {
  readonly bracket: TokenType;
  /** Whether its braces hold the names of an `enum` or an `import`, or the next ones do. */
  names: "none" | "next" | "here";
  /** Whether it holds the arms of a `match`. */
  readonly arms: boolean;
  /** Whether a `match` waits for its arms. */
  match: boolean;
  /** The clause of a header that the last words belong to. */
  clause: TokenType | null;
  /** Index in the result at which the current statement or item begins. */
  start: number;
}

/** At the start of a member. */
export const statementWords = new Map<string, TokenType>([
  ...([
    ["param", t.Param],
    ["secret", t.Secret],
    ["let", t.Let],
    ["fn", t.Fn],
    ["enum", t.Enum],
  ] as const),
  ...([
    ["abstract", t.Abstract],
    ["import", t.Import],
    ["test", t.Test],
  ] as const),
  ...([
    ["assert", t.Assert],
    ["expect", t.Expect],
  ] as const),
]);
/** In a header. */
export const clauseWords = new Map<string, TokenType>([
  ["extends", t.Extends],
  ["after", t.After],
  ["on", t.On],
]);
/** Between two values. */
export const infixWords = new Map<string, TokenType>([
  ...([
    ["in", t.In],
    ["and", t.And],
    ["or", t.Or],
    ["divides", t.Divides],
    ["of", t.Of],
  ] as const),
  ...([
    ["with", t.With],
    ["then", t.Then],
    ["else", t.Else],
    ["for", t.For],
    ["if", t.If],
  ] as const),
]);
export const valueWords = new Map<string, TokenType>([
  ["true", t.True],
  ["false", t.False],
  ["none", t.None],
  ["auto", t.Auto],
]);
export const keywords: ReadonlySet<string> = new Set([
  ...statementWords.keys(),
  ...clauseWords.keys(),
  ...infixWords.keys(),
  ...valueWords.keys(),
  ...["as", "not", "match"],
]);

/** Whether a word, where a value stands, never is a name. */
export const isValueWord = (word: string): boolean => valueWords.has(word) || /^(?:if|match|not)$/.test(word);

const operandEnds = new Set<TokenType>([
  ...[t.Identifier, t.NumberToken, t.StringToken, t.StringClose, t.RightBrace, t.RightParen, t.RightSquare],
  ...[t.True, t.False, t.None, t.Auto, t.Mistake],
]);
const operandStarts = new Set<TokenType>([
  ...[t.Identifier, t.NumberToken, t.StringToken, t.StringOpen, t.LeftParen, t.LeftSquare, t.LeftBrace],
  ...[t.Minus, t.Not, t.Mistake],
]);

/** Puts the word at `index` behind `result`, as a keyword where it is one. */
export function readWord(
  source: Source,
  result: Token[],
  here: Opened,
  tokens: readonly Token[],
  index: number,
  out: Diagnostic[],
): void {
  const token = tokens[index];
  if (token === undefined) return;
  if (!keywords.has(token.image)) {
    result.push(token);
    return;
  }
  const previous = result.at(-1);
  const next = tokens[index + 1];
  if (token.image === "not" && next?.image === "in" && operandEnds.has(previous?.tokenType ?? t.Separator)) {
    repair(next);
    reportNotIn(source, token, previous ?? token, result.at(-2), next, out);
    return;
  }
  const type = keyword(token.image, here, result, previous, tokens, index);
  result.push(type === null ? token : retype(token, type));
  if (type === t.Match) here.match = true;
  else if (type === t.Enum || type === t.Import) here.names = "next";
  else if (type === t.Extends || type === t.After || type === t.On) here.clause = type;
}

/** The keyword that a word is, or `null` where it is a name. */
function keyword(
  word: string,
  here: Opened,
  result: readonly Token[],
  previous: Token | undefined,
  tokens: readonly Token[],
  index: number,
): TokenType | null {
  const before = previous?.tokenType;
  const next = tokens[index + 1];
  const after = next?.tokenType ?? t.Newline;
  // `param k: Bool in true = false`: behind the sign of a bound stands a value.
  if (after === t.Equal && before !== undefined && boundOperators.has(before)) return valueWords.get(word) ?? null;
  if (before === t.Dot || after === t.Equal || after === t.Colon) return null;
  if (here.names === "here") return word === "as" && before === t.Identifier && after === t.Identifier ? t.As : null;

  const holdsMembers = here.bracket === t.LeftBrace && !here.arms;
  const position = result.length - here.start;
  const afterOperand = position > 0 && before !== undefined && operandEnds.has(before);
  if (holdsMembers && (position === 0 || before === t.Abstract)) {
    const statement = statementWords.get(word);
    if (statement !== undefined) return beginsStatement(statement, after, next) ? statement : null;
    if (after === t.LeftBrace || clauseWords.has(word)) return null;
  }
  if (holdsMembers && position > 0) {
    const clause = clauseWords.get(word);
    if (clause !== undefined && after === t.Identifier && before === t.Identifier) {
      const isName =
        position === 1 && clauseWords.has(next?.image ?? "") && tokens[index + 2]?.tokenType === t.Identifier;
      return isName ? null : clause;
    }
    if (position === 1 && before === t.Identifier && after === t.LeftBrace) return null;
  }
  if (word === "as") return afterOperand && (after === t.Identifier || after === t.LeftSquare) ? t.As : null;

  const infix = infixWords.get(word);
  if (infix !== undefined && afterOperand) return after === t.Dot ? null : infix;
  if (word === "else" && here.arms && after === t.Arrow) return t.Else;
  const starts = operandStarts.has(after);
  if (word === "if" || word === "for") return starts ? (infix ?? null) : null;
  if (word === "match") return starts && !afterOperand ? t.Match : null;
  if (word === "not") return starts && !afterOperand ? t.Not : null;
  return after === t.LeftParen ? null : (valueWords.get(word) ?? null);
}

function beginsStatement(statement: TokenType, after: TokenType, next: Token | undefined): boolean {
  if (statement === t.Import || statement === t.Test) return after === t.StringToken || after === t.StringOpen;
  if (statement !== t.Assert && statement !== t.Expect) return after === t.Identifier || after === t.StringToken;
  return operandStarts.has(after) && after !== t.LeftBrace && next?.image !== "in";
}

function reportNotIn(
  source: Source,
  token: Token,
  operand: Token,
  before: Token | undefined,
  next: Token,
  out: Diagnostic[],
): void {
  const start = operand.startOffset;
  const atom = operand.tokenType === t.Identifier || operand.tokenType === t.NumberToken;
  const simple = (atom || operand.tokenType === t.StringToken) && before?.tokenType !== t.Dot;
  const edits = [
    { span: { source, start, end: start }, newText: "not " },
    { span: { source, start: token.startOffset, end: next.startOffset }, newText: "" },
  ];
  const fixes = simple ? [{ title: "put `not` first", edits }] : [];
  out.push(notIn({ source, start: token.startOffset, end: endOf(token) }, {}, { fixes }));
}
