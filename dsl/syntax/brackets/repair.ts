import { bracketMismatched, bracketUnclosed, bracketUnopened } from "../../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { endOf, makeToken, type Token, type TokenType } from "../../lexer/token.ts";
import { InterpolationClose, InterpolationOpen, Newline, RightBrace } from "../../lexer/vocabulary.ts";
import type { Source, Span } from "../../source/source.ts";
import { closerOf, imageOf, isCloser } from "./closers.ts";
import { indentAt } from "./indentation.ts";
import { headerOf, missingBrace } from "./missing-brace.ts";

export interface Repaired {
  readonly tokens: Token[];
  readonly diagnostics: Diagnostic[];
}

interface Open {
  readonly token: Token;
  readonly closer: TokenType;
  /** Indentation of the line on which it stands. */
  readonly indent: number;
}

export interface Guess {
  /** A line that is not deeper than that of an open bracket ends it. */
  readonly byIndent: boolean;
  /** A closing bracket of the wrong kind is a slip for the right one; otherwise it is one too many. */
  readonly replace: boolean;
  /** A brace at the end of a deeper line is one too many, not the end of the block that the line is in. */
  readonly ownLine?: boolean;
  /** A closing bracket inside an open one of another kind is one too many, even if it would close one further out. */
  readonly drop?: boolean;
}

/** Balances brackets on one guess of what was meant. */
export function repair(source: Source, tokens: readonly Token[], guess: Guess): Repaired {
  const repairing = new Repairing(source, guess);
  for (const token of tokens) repairing.take(token);
  return repairing.end();
}

class Repairing {
  readonly #source: Source;
  readonly #guess: Guess;
  readonly #tokens: Token[] = [];
  readonly #diagnostics: Diagnostic[] = [];
  readonly #stack: Open[] = [];
  /** How many of each kind are open, so that a bracket that nothing opened is not looked for again and again. */
  readonly #counts = new Map<TokenType, number>();
  /** Where the last token stands that is no line end. */
  #last = -1;
  #lineStart = 0;
  #startsLine = true;
  #indent: number;

  constructor(source: Source, guess: Guess) {
    this.#source = source;
    this.#guess = guess;
    this.#indent = indentAt(source, 0);
  }

  take(token: Token): void {
    const { tokenType } = token;
    if (tokenType === Newline) {
      this.#tokens.push(token);
      this.#lineStart = endOf(token);
      this.#startsLine = true;
      return;
    }
    const isInside = !this.#startsLine;
    if (this.#startsLine) this.#beginLine(isCloser(tokenType));
    const closer = closerOf(tokenType);
    if (closer !== undefined) {
      this.#stack.push({ token, closer, indent: this.#indent });
      this.#count(closer, 1);
      this.#say(token);
    } else if (isCloser(tokenType)) this.#takeCloser(token, isInside);
    else this.#say(token);
  }

  end(): Repaired {
    this.#close(0);
    return { tokens: this.#tokens, diagnostics: this.#diagnostics };
  }

  #beginLine(closes: boolean): void {
    this.#startsLine = false;
    this.#indent = indentAt(this.#source, this.#lineStart);
    if (this.#guess.byIndent) this.#close(depthAt(this.#stack, this.#indent, closes));
  }

  #takeCloser(token: Token, isInside: boolean): void {
    const { tokenType } = token;
    if (this.#tookOther(token)) return;
    const { byIndent, ownLine = false } = this.#guess;
    const closest = this.#stack.at(-1);
    const isDeeper = ownLine && isInside && tokenType === RightBrace && (closest?.indent ?? 0) < this.#indent;
    const fits = closest?.closer === tokenType && !isDeeper;
    const header =
      byIndent && !isDeeper && !(fits && closest.indent >= this.#indent)
        ? headerOf(this.#source, this.#tokens, this.#last, token, this.#indent)
        : null;
    if (header !== null) {
      const { diagnostic, brace, isColon } = missingBrace(this.#source, this.#tokens, header, token);
      this.#diagnostics.push(diagnostic);
      if (isColon) this.#tokens.splice(header, 1, brace);
      else this.#tokens.splice(header + 1, 0, brace);
      this.#say(token);
    } else if (fits) {
      this.#stack.pop();
      this.#count(tokenType, -1);
      this.#say(token);
    } else {
      const span = this.#spanOf(token);
      const fixes = [{ title: `remove \`${token.image}\``, edits: [{ span, newText: "" }] }];
      this.#diagnostics.push(bracketUnopened(span, { close: token.image }, { fixes }));
    }
  }

  /** For a bracket of another kind than the one it would close: closes what is between, or takes it for a slip. True if it is dealt with. */
  #tookOther(token: Token): boolean {
    const { tokenType } = token;
    const top = this.#stack.at(-1);
    if (top === undefined || top.closer === tokenType) return false;
    const { replace, drop = false } = this.#guess;
    const match = drop ? -1 : this.#lastOpen(tokenType);
    const barrier = this.#lastOpen(InterpolationClose);
    if (match >= 0 && (match >= barrier || tokenType === InterpolationClose)) {
      this.#close(match + 1);
      return false;
    }
    if (!replace || barrier >= this.#stack.length - 1) return false;
    const wanted = imageOf(top.closer);
    const span = this.#spanOf(token);
    const fixes = [{ title: `write \`${wanted}\``, edits: [{ span, newText: wanted }] }];
    const related = [{ message: "opened here", span: this.#spanOf(top.token) }];
    this.#diagnostics.push(
      bracketMismatched(span, { open: top.token.image, close: token.image, wanted }, { related, fixes }),
    );
    this.#stack.pop();
    this.#count(top.closer, -1);
    this.#say(makeToken(top.closer, token.image, token.startOffset));
    return true;
  }

  /** Closes what is open down to `depth`, behind the last token that is not a newline. */
  #close(depth: number): void {
    if (this.#stack.length <= depth) return;
    let at = this.#tokens.length;
    while (this.#tokens[at - 1]?.tokenType === Newline) at -= 1;
    const offset = endOf(this.#tokens[at - 1] ?? makeToken(Newline, "", 0));
    const opened = this.#stack.splice(depth).toReversed();
    const newlines = this.#tokens.splice(at);
    for (const { closer } of opened) {
      this.#count(closer, -1);
      this.#say(makeToken(closer, "", offset));
    }
    for (const token of newlines) this.#tokens.push(token);
    const unclosed = opened.filter(({ token }) => token.tokenType !== InterpolationOpen);
    const [first] = unclosed;
    if (first === undefined) return;
    const text = unclosed.map(({ closer }) => imageOf(closer)).join("");
    const span: Span = { source: this.#source, start: offset, end: offset };
    const fixes = [{ title: `insert \`${text}\``, edits: [{ span, newText: text }] }];
    const related = unclosed.map(({ token }) => ({ message: "opened here", span: this.#spanOf(token) }));
    this.#diagnostics.push(
      bracketUnclosed(span, { open: first.token.image, close: imageOf(first.closer) }, { related, fixes }),
    );
  }

  #say(token: Token): void {
    this.#last = this.#tokens.push(token) - 1;
  }

  #count(closer: TokenType, change: number): void {
    this.#counts.set(closer, (this.#counts.get(closer) ?? 0) + change);
  }

  #lastOpen(closer: TokenType): number {
    return (this.#counts.get(closer) ?? 0) === 0 ? -1 : this.#stack.findLastIndex((open) => open.closer === closer);
  }

  #spanOf(token: Token): Span {
    return { source: this.#source, start: token.startOffset, end: endOf(token) };
  }
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
