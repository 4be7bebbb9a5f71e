import {
  bracketMismatched,
  bracketMissing,
  bracketUnclosed,
  bracketUnopened,
} from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { endOf, makeToken, type Token, type TokenType } from "../lexer/token.ts";
import {
  Comma,
  Dot,
  Identifier,
  Colon,
  InterpolationClose,
  InterpolationOpen,
  LeftBrace,
  LeftParen,
  LeftSquare,
  Newline,
  RightBrace,
  RightParen,
  RightSquare,
  StringToken,
} from "../lexer/vocabulary.ts";
import type { Source, Span } from "../source/source.ts";

interface Repair {
  readonly tokens: Token[];
  readonly diagnostics: Diagnostic[];
}

/** Asked of every token several times: a comparison is faster than a map. */
export function closerOf(type: TokenType): TokenType | undefined {
  switch (type) {
    case LeftBrace:
      return RightBrace;
    case LeftParen:
      return RightParen;
    case LeftSquare:
      return RightSquare;
    case InterpolationOpen:
      return InterpolationClose;
    default:
      return undefined;
  }
}

export function isCloser(type: TokenType): boolean {
  return type === RightBrace || type === RightParen || type === RightSquare || type === InterpolationClose;
}

/** The index of the bracket that closes the one at `index`. */
export function closingOf(tokens: readonly Token[], index: number): number | undefined {
  let depth = 0;
  for (let at = index; at < tokens.length; at++) {
    const type = tokens[at]?.tokenType;
    if (type === undefined) return undefined;
    if (closerOf(type) !== undefined) depth += 1;
    else if (isCloser(type)) depth -= 1;
    if (depth <= 0) return at;
  }
  return undefined;
}

/** Makes brackets balance. Where they do not, indentation tells which one is missing, if that explains more. */
export function balance(source: Source, tokens: Token[]): Repair {
  if (isBalanced(tokens)) return { tokens, diagnostics: [] };
  if (isTooDeep(tokens)) return { ...repair(source, tokens, { byIndent: false, replace: false }), diagnostics: [] };
  const repairs = [
    repair(source, tokens, { byIndent: true, replace: true, ownLine: true }),
    repair(source, tokens, { byIndent: true, replace: true }),
    repair(source, tokens, { byIndent: true, replace: false }),
    repair(source, tokens, { byIndent: false, replace: true }),
    repair(source, tokens, { byIndent: false, replace: false }),
    repair(source, tokens, { byIndent: true, replace: false, drop: true }),
  ];
  return repairs.reduce((best, each) => (each.diagnostics.length < best.diagnostics.length ? each : best));
}

function isBalanced(tokens: readonly Token[]): boolean {
  const open: TokenType[] = [];
  for (const { tokenType } of tokens) {
    const closer = closerOf(tokenType);
    if (closer !== undefined) open.push(closer);
    else if (isCloser(tokenType) && open.pop() !== tokenType) return false;
  }
  return open.length === 0;
}

/** Brackets deeper than this are a diagnostic of their own: the parser recurses. */
export const deepestBracket = 64;

function isTooDeep(tokens: readonly Token[]): boolean {
  let depth = 0;
  for (const { tokenType } of tokens) {
    if (closerOf(tokenType) !== undefined) depth += 1;
    else if (isCloser(tokenType)) depth = Math.max(0, depth - 1);
    if (depth > deepestBracket) return true;
  }
  return false;
}

interface Open {
  readonly token: Token;
  readonly closer: TokenType;
  /** Indentation of the line on which it stands. */
  readonly indent: number;
}

interface Guess {
  /** A line that is not deeper than that of an open bracket ends it. */
  readonly byIndent: boolean;
  /** A closing bracket of the wrong kind is a slip for the right one; otherwise it is one too many. */
  readonly replace: boolean;
  /** A brace at the end of a deeper line is one too many, not the end of the block that the line is in. */
  readonly ownLine?: boolean;
  /** A closing bracket inside an open one of another kind is one too many, even if it would close one further out. */
  readonly drop?: boolean;
}

function repair(source: Source, tokens: readonly Token[], guess: Guess): Repair {
  const { byIndent, replace, ownLine = false, drop = false } = guess;
  const result: Token[] = [];
  /** Where the last token stands that is no line end. */
  let last = -1;
  const say = (token: Token): void => {
    last = result.push(token) - 1;
  };
  const diagnostics: Diagnostic[] = [];
  const stack: Open[] = [];
  /** How many of each kind are open, so that a bracket that nothing opened is not looked for again and again. */
  const counts = new Map<TokenType, number>();
  const count = (closer: TokenType, change: number): void => {
    counts.set(closer, (counts.get(closer) ?? 0) + change);
  };
  const lastOpen = (closer: TokenType): number =>
    (counts.get(closer) ?? 0) === 0 ? -1 : stack.findLastIndex((open) => open.closer === closer);
  const spanOf = (token: Token): Span => ({ source, start: token.startOffset, end: endOf(token) });

  /** Closes what is open down to `depth`, behind the last token that is not a newline. */
  const close = (depth: number): void => {
    if (stack.length <= depth) return;
    let at = result.length;
    while (result[at - 1]?.tokenType === Newline) at -= 1;
    const offset = endOf(result[at - 1] ?? makeToken(Newline, "", 0));
    const closing: Token[] = [];
    const unclosed: Open[] = [];
    for (let top = stack.pop(); top !== undefined; top = stack.length > depth ? stack.pop() : undefined) {
      count(top.closer, -1);
      closing.push(makeToken(top.closer, "", offset));
      if (top.token.tokenType !== InterpolationOpen) unclosed.push(top);
    }
    const newlines = result.splice(at);
    for (const token of closing) say(token);
    for (const token of newlines) result.push(token);
    const [first, ...others] = unclosed;
    if (first === undefined) return;
    const text = unclosed.map((open) => imageOf(open.closer)).join("");
    const at1: Span = { source, start: offset, end: offset };
    const fixes = [{ title: `insert \`${text}\``, edits: [{ span: at1, newText: text }] }];
    const related = [first, ...others].map((open) => ({ message: "opened here", span: spanOf(open.token) }));
    diagnostics.push(
      bracketUnclosed(at1, { open: first.token.image, close: imageOf(first.closer) }, { related, fixes }),
    );
  };

  let lineStart = 0;
  let startsLine = true;
  let indent = indentAt(source, 0);
  for (const token of tokens) {
    const { tokenType } = token;
    if (tokenType === Newline) {
      result.push(token);
      lineStart = endOf(token);
      startsLine = true;
      continue;
    }
    const closes = isCloser(tokenType);
    const isInside = !startsLine;
    if (startsLine) {
      startsLine = false;
      indent = indentAt(source, lineStart);
      if (byIndent) close(depthAt(stack, indent, closes));
    }
    const closer = closerOf(tokenType);
    if (closer !== undefined) {
      stack.push({ token, closer, indent });
      count(closer, 1);
      say(token);
      continue;
    }
    if (!closes) {
      say(token);
      continue;
    }
    const top = stack.at(-1);
    if (top !== undefined && top.closer !== tokenType) {
      const match = drop ? -1 : lastOpen(tokenType);
      const barrier = lastOpen(InterpolationClose);
      if (match >= 0 && (match >= barrier || tokenType === InterpolationClose)) close(match + 1);
      else if (replace && barrier < stack.length - 1) {
        const wanted = imageOf(top.closer);
        const span = spanOf(token);
        const fixes = [{ title: `write \`${wanted}\``, edits: [{ span, newText: wanted }] }];
        const related = [{ message: "opened here", span: spanOf(top.token) }];
        diagnostics.push(
          bracketMismatched(span, { open: top.token.image, close: token.image, wanted }, { related, fixes }),
        );
        stack.pop();
        count(top.closer, -1);
        say(makeToken(top.closer, token.image, token.startOffset));
        continue;
      }
    }
    const closest = stack.at(-1);
    const isDeeper = ownLine && isInside && tokenType === RightBrace && (closest?.indent ?? 0) < indent;
    const fits = closest?.closer === tokenType && !isDeeper;
    const header =
      byIndent && !isDeeper && !(fits && closest.indent >= indent)
        ? headerOf(source, result, last, token, indent)
        : null;
    if (fits && header === null) {
      stack.pop();
      count(tokenType, -1);
      say(token);
    } else if (header !== null) {
      // `stage pretrain:` with its `}`: the colon stands for the brace.
      const colon = result[header]?.tokenType === Colon ? result[header] : undefined;
      const offset = endOf(result[colon === undefined ? header : header - 1] ?? token);
      const span: Span = { source, start: offset, end: colon === undefined ? offset : endOf(colon) };
      const title = colon === undefined ? "insert `{`" : "write `{`";
      const fixes = [{ title, edits: [{ span, newText: " {" }] }];
      const related = [{ message: "closed here", span: spanOf(token) }];
      diagnostics.push(bracketMissing(span, { close: token.image }, { related, fixes }));
      const brace = makeToken(LeftBrace, "", offset);
      if (colon === undefined) result.splice(header + 1, 0, brace);
      else result.splice(header, 1, brace);
      say(token);
    } else {
      const span = spanOf(token);
      const fixes = [{ title: `remove \`${token.image}\``, edits: [{ span, newText: "" }] }];
      diagnostics.push(bracketUnopened(span, { close: token.image }, { fixes }));
    }
  }
  close(0);
  return { tokens: result, diagnostics };
}

/** For a `}` that begins its line, behind a token at `end`: the last token of the line above, no deeper, below which deeper lines follow. */
function headerOf(
  source: Source,
  tokens: readonly Token[],
  end: number,
  closing: Token,
  indent: number,
): number | null {
  if (closing.tokenType !== RightBrace || lineStartOf(source, closing) === null) return null;
  let deeper = false;
  let last: number | null = null;
  let isHeader = true;
  for (let at = end; at >= 0; at--) {
    const token = tokens[at];
    if (token === undefined || token.tokenType === Newline) {
      last = null;
      isHeader = true;
      continue;
    }
    last ??= at;
    isHeader &&= inHeader.has(token.tokenType) || (token.tokenType === Colon && at === last);
    const before = tokens[at - 1];
    if (before !== undefined && before.tokenType !== Newline) continue;
    const column = indentAt(source, lineStartOf(source, token) ?? 0);
    if (column <= indent) return deeper && isHeader ? last : null;
    deeper = true;
  }
  return null;
}

const inHeader = new Set<TokenType>([Identifier, StringToken, Dot, Comma]);

/** Where the line begins that a token is the first of, or `null` where it is not. */
function lineStartOf(source: Source, token: Token): number | null {
  let at = token.startOffset;
  while (source.text[at - 1] === " " || source.text[at - 1] === "\t") at -= 1;
  return at === 0 || source.text[at - 1] === "\n" || source.text[at - 1] === "\r" ? at : null;
}

/** How many brackets stay open when a line with this indentation begins. */
function depthAt(stack: readonly Open[], indent: number, closes: boolean): number {
  let depth = stack.length;
  while (depth > 0) {
    const open = stack[depth - 1];
    if (open === undefined || open.closer === InterpolationClose) break;
    if (closes ? open.indent <= indent : open.indent < indent) break;
    depth -= 1;
  }
  return depth;
}

/** Columns of blanks before the first token of the line that begins at `start`; a tab goes to the next multiple of 8. */
function indentAt(source: Source, start: number): number {
  let column = 0;
  for (let at = start; ; at++) {
    const char = source.text[at];
    if (char === " ") column += 1;
    else if (char === "\t") column += 8 - (column % 8);
    else if (char !== "\ufeff") return column;
  }
}

function imageOf(closer: TokenType): string {
  if (closer === RightParen) return ")";
  return closer === RightSquare ? "]" : "}";
}
