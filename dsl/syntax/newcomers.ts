import {
  dollar,
  foreignForm,
  foreignOperator,
  semicolon,
  typeForm,
  unknownCharacter,
} from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic, Edit, Fix } from "../diagnostics/diagnostic.ts";
import { environmentValue, isShellRun, shellRunFix } from "../lexer/shell-run.ts";
import { endOf, makeToken, repair, type Token, type TokenType } from "../lexer/token.ts";
import {
  And,
  Arrow,
  Colon,
  Comma,
  Doc,
  Dot,
  Equal,
  EqualEqual,
  ForeignOperator,
  Identifier,
  LeftBrace,
  LeftParen,
  LeftSquare,
  Minus,
  Mistake,
  Newline,
  Not,
  NotEqual,
  NumberToken,
  Or,
  RightParen,
  Slash,
  Star,
} from "../lexer/vocabulary.ts";
import { lineAround } from "../source/line-around.ts";
import type { Source, Span } from "../source/source.ts";
import { closerOf, isCloser } from "./brackets/closers.ts";
import { dashedItems, dashesInList, readDash } from "./dashes.ts";
import { foreignBlock, opensForeignBlock } from "./foreign-blocks.ts";
import { isFlag, readFlag } from "./flags.ts";
import { foreignType } from "./foreign-types.ts";
import { atGlob, atPath } from "./outside.ts";
import { isStrayOperator, readStrayOperator } from "./stray-operators.ts";
import { ternary } from "./ternary.ts";
import { ofYaml } from "./yaml-values.ts";

/** Reads what other languages write as what it means here, with a diagnostic for each. */
export function readNewcomers(source: Source, tokens: Token[], out: Diagnostic[]): Token[] {
  if (!tokens.some(isForeign)) return tokens;
  const result: Token[] = [];
  const dropped = new Set<Token>();
  const open: { readonly type: TokenType; readonly at: number }[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index];
    if (token === undefined) break;
    const { tokenType } = token;
    if (tokenType === ForeignOperator) {
      const around = open.at(-1);
      const inArms = around?.type === LeftBrace && opensArms(result, around.at);
      readForeign(source, tokens, index, inArms, result, out);
      continue;
    }
    if (isStrayOperator(token, index, tokens)) {
      readStrayOperator(source, token, result, out);
      continue;
    }
    if (tokenType === Minus && startsLine(tokens, index) && isDocumentStart(source, token)) {
      const span: Span = { source, start: token.startOffset, end: token.startOffset + 3 };
      const fixes = [{ title: "remove it", edits: [{ span, newText: "" }] }];
      out.push(
        foreignOperator(span, { found: "---", instead: "a file needs no marker at its beginning" }, { fixes }),
      );
      index += 2;
      continue;
    }
    const holdsMembers = open.length === 0 || open.at(-1)?.type === LeftBrace;
    const block =
      holdsMembers && opensForeignBlock(token, index, tokens) ? foreignBlock(source, tokens, index) : null;
    if (block !== null) {
      for (let at = index; at <= block.kept; at++) result.push(tokens[at] ?? token);
      if (block.isValue) result.push(makeToken(Mistake, "", endOf(token)));
      index = block.last;
      continue;
    }
    if (holdsMembers && isBullet(tokens, index)) {
      const span: Span = { source, start: token.startOffset, end: tokens[index + 1]?.startOffset ?? endOf(token) };
      const fixes = [{ title: "remove it", edits: [{ span, newText: "" }] }];
      out.push(
        foreignOperator({ ...span, end: endOf(token) }, { found: "*", instead: "members need no bullet" }, { fixes }),
      );
      continue;
    }
    if (holdsMembers && isFlag(tokens, index)) {
      index = readFlag(source, tokens, index, result, out);
      continue;
    }
    if (isColonBehindBranch(token, index, tokens)) {
      const span: Span = { source, start: token.startOffset, end: endOf(token) };
      const written = `${tokens[index - 1]?.image ?? ""}:`;
      const fixes = [{ title: "remove it", edits: [{ span, newText: "" }] }];
      out.push(foreignForm(span, { written, instead: "no colon follows it" }, { fixes }));
      continue;
    }
    if (tokenType === Minus && holdsMembers && startsLine(tokens, index)) {
      index = readDash(source, tokens, index, result, out);
      continue;
    }
    if (tokenType === Minus && open.at(-1)?.type === LeftSquare && startsLine(tokens, index)) {
      const dashes = dashedItems(source, tokens, index);
      for (const each of dashes) dropped.add(each);
      if (dashes.length > 0) out.push(dashesInList(source, tokens, dashes));
      if (dropped.has(token)) continue;
    }
    if (closerOf(tokenType) !== undefined) open.push({ type: tokenType, at: result.length });
    else if (isCloser(tokenType)) open.pop();
    result.push(token);
  }
  return result;
}

/** A minus is one only where it begins a line. */
function isForeign(token: Token, index: number, tokens: readonly Token[]): boolean {
  if (token.tokenType === ForeignOperator) return true;
  if (token.tokenType === Minus) return startsLine(tokens, index) || isFlag(tokens, index);
  if (token.tokenType === Colon) return isColonBehindBranch(token, index, tokens);
  if (isStrayOperator(token, index, tokens)) return true;
  return token.tokenType === Star ? isBullet(tokens, index) : opensForeignBlock(token, index, tokens);
}

/** `* layers = 4` on a line of its own: a product would hold no `=`. */
function isBullet(tokens: readonly Token[], index: number): boolean {
  if (tokens[index]?.tokenType !== Star || tokens[index + 1]?.tokenType !== Identifier) return false;
  const sign = tokens[index + 2]?.tokenType;
  return (sign === Equal || sign === LeftBrace) && startsLine(tokens, index);
}

/** `expect loss < 3 else: warn`: the word goes on with what stands before it, and names nothing. */
function isColonBehindBranch(token: Token, index: number, tokens: readonly Token[]): boolean {
  const word = tokens[index - 1];
  if (token.tokenType !== Colon || (word?.image !== "else" && word?.image !== "then")) return false;
  const before = tokens[index - 2];
  const goesOn = before !== undefined && before.tokenType !== Newline && before.tokenType !== Doc;
  const isNamed = before?.tokenType === Comma || closerOf(before?.tokenType ?? Comma) !== undefined;
  return goesOn && !isNamed && !/^(?:param|let|fn|secret)$/.test(before.image);
}

const meant: Readonly<Record<string, readonly [TokenType, string]>> = {
  "&&": [And, "and"],
  "&": [And, "and"],
  "||": [Or, "or"],
  "===": [EqualEqual, "=="],
  "!==": [NotEqual, "!="],
  "+=": [Equal, "="],
  "-=": [Equal, "="],
  "*=": [Equal, "="],
  "/=": [Equal, "="],
  "**=": [Equal, "="],
  ":=": [Equal, "="],
  "<-": [Equal, "="],
  "<>": [NotEqual, "!="],
};

const calls: Readonly<Record<string, string>> = { "%": "mod", "^": "pow", "**": "pow" };

function readForeign(
  source: Source,
  tokens: readonly Token[],
  index: number,
  inArms: boolean,
  result: Token[],
  out: Diagnostic[],
): void {
  const token = tokens[index] ?? makeToken(ForeignOperator, "", 0);
  const { image: found, startOffset: start } = token;
  const span: Span = { source, start, end: endOf(token) };
  const write = (newText: string, at: Span = span): Fix => ({
    title: `write \`${newText}\``,
    edits: [{ span: at, newText }],
  });
  const replace = (type: TokenType, instead: string, fixes: readonly Fix[]): void => {
    out.push(foreignOperator(span, { found, instead }, { fixes }));
    result.push(repair(makeToken(type, found, start)));
  };

  const glob = found === "**" || found === "?" ? atGlob(source, start) : null;
  if (glob !== null && !isOptionalType(result)) {
    out.push(glob);
    result.push(makeToken(Mistake, found, start));
    return;
  }
  if (found === "**" && unpacks(tokens, index)) {
    out.push(foreignForm(span, { written: found, instead: "a changed copy is `x with { … }`" }));
    result.push(repair(makeToken(Mistake, found, start)));
    return;
  }
  const yaml = ofYaml(source, tokens, index);
  if (yaml !== null) {
    if (yaml.diagnostic !== null) out.push(yaml.diagnostic);
    result.push(makeToken(Mistake, found, start));
    return;
  }
  const known = meant[found];
  const call = calls[found];
  if (known !== undefined) replace(known[0], `write \`${known[1]}\``, [write(known[1])]);
  else if (found === "!") {
    const blanks = /^[ \t]*/.exec(source.text.slice(span.end))?.[0].length ?? 0;
    replace(Not, "write `not`", [
      { title: "write `not`", edits: [{ span: { ...span, end: span.end + blanks }, newText: "not " }] },
    ]);
  } else if (found === "->") {
    const last = result.at(-1);
    const edit: Edit = { span: { ...span, start: last === undefined ? start : endOf(last) }, newText: ":" };
    if (last?.tokenType === RightParen && wordOfLine(result, result.length) === "fn") {
      replace(Colon, "write `:` before a type", [{ title: "write `:`", edits: [edit] }]);
    } else if (inArms) replace(Arrow, "write `=>`", [write("=>")]);
    else replace(Mistake, "`=>` belongs in a `match`, `:` before a type", []);
  } else if (found === "**" && tokens[index - 1]?.tokenType === Slash) {
    // A glob without its quotes: whoever misses a value there sees the whole of it.
    result.push(makeToken(Star, found, start));
  } else if (call !== undefined) {
    const [left, right] = [pathFrom(tokens, index - 1, -1), pathFrom(tokens, index + 1, 1)];
    const isWhole = left !== null && right !== null && !goesOnWith(tokens, index - left.length - 1);
    const divides = isWhole && call === "mod" ? comparedWithNothing(tokens, index + right.length + 1) : null;
    const written = !isWhole
      ? null
      : divides !== null
        ? `${textOf(right)} divides ${textOf(left)}`
        : callOf(call, textOf(left), textOf(right));
    const whole: Span = {
      source,
      start: left?.[0]?.startOffset ?? start,
      end: endOf(divides ?? right?.at(-1) ?? token),
    };
    replace(Star, `write \`${call}(a, b)\``, written === null ? [] : [write(written, whole)]);
  } else if (found === ";") {
    const last = tokens[index + 1] === undefined || tokens[index + 1]?.tokenType === Newline;
    const { before, after } = lineAround(source.text, start);
    const indent = /^[ \t]*/.exec(before)?.[0];
    const blanks = /^;[ \t]*/.exec(after)?.[0].length ?? 1;
    const edit: Edit = last
      ? { span, newText: "" }
      : { span: { ...span, end: start + blanks }, newText: `\n${indent ?? ""}` };
    out.push(semicolon(span, {}, { fixes: [{ title: last ? "remove it" : "begin a new line", edits: [edit] }] }));
    result.push(makeToken(Newline, ";", start));
  } else if (found.startsWith("$")) {
    const name = found.slice(1);
    const bound = /^param\b/.test(wordOfLine(result, result.length) ?? "")
      ? environmentValue(source.text, start)
      : null;
    const braced = name === "" ? /^\$\{([\w.]+)\}/.exec(source.text.slice(start)) : null;
    const whole: Span = { ...span, end: start + (bound?.length ?? braced?.[0].length ?? found.length) };
    const inside = braced?.[1] ?? name.toLowerCase();
    const meant = /^\d/.test(name) ? `${name} usd` : inside;
    const fix =
      bound !== null
        ? write(bound.call, whole)
        : isShellRun(name)
          ? shellRunFix(span, "run.id")
          : write(meant, whole);
    out.push(dollar(span, { text: found }, { fixes: inside === "" && bound === null ? [] : [fix] }));
    result.push(makeToken(Mistake, found, start));
  } else if (found === "\\" && tokens[index + 1]?.tokenType === Newline) {
    out.push(
      foreignOperator(
        span,
        { found, instead: "a line continues after an operator" },
        { fixes: [{ title: "remove it", edits: [{ span, newText: "" }] }] },
      ),
    );
  } else if (found === "|>") {
    replace(Mistake, "a function takes its argument in `( )`: `f(x)`", []);
  } else if (found === "?" && isOptionalType(result)) {
    const type = result.at(-1)?.image ?? "";
    const instead = `${foreignType(type) ?? type} | none`;
    const whole: Span = { ...span, start: result.at(-1)?.startOffset ?? start };
    out.push(typeForm(whole, { written: `${type}?`, instead }, { fixes: [write(instead, whole)] }));
  } else if (found === "?") {
    const fix = ternary(source, start);
    replace(Mistake, "write `if c then a else b`", fix === null ? [] : [fix]);
  } else {
    out.push(atPath(source, start) ?? unknownCharacter(span, { text: found }));
    result.push(makeToken(Mistake, found, start));
  }
}

/** `2 ** 9 samples` raises the number, and counts what it comes to; of other operands with units nobody knows what is meant. */
function callOf(call: string, left: string, right: string): string | null {
  const unitOf = (image: string): string => /^[\d._]+(?:e[-+]?\d+)?(.*)$/i.exec(image)?.[1]?.trim() ?? "";
  const unit = unitOf(right);
  if (unitOf(left) !== "" || (unit !== "" && call !== "pow")) return null;
  if (unit === "") return `${call}(${left}, ${right})`;
  const exponent = right.slice(0, -unit.length).trim();
  const power = Number(left) ** Number(exponent);
  return Number.isSafeInteger(power) ? `${power} ${unit}` : `pow(${left}, ${exponent}) * 1 ${unit}`;
}

/** `**defaults`: two stars with nothing before them to raise. */
function unpacks(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1]?.tokenType;
  return startsLine(tokens, index) || before === Comma || before === LeftParen || before === LeftBrace;
}

/** `param n: Int?`: a name behind a colon in a declaration. */
function isOptionalType(tokens: readonly Token[]): boolean {
  const isType = tokens.at(-1)?.tokenType === Identifier && tokens.at(-2)?.tokenType === Colon;
  return isType && /^(?:param|let|fn)$/.test(wordOfLine(tokens, tokens.length) ?? "");
}

/** The word that the line of a token begins with. */
function wordOfLine(tokens: readonly Token[], index: number): string | undefined {
  let at = index;
  while (at > 0 && tokens[at - 1]?.tokenType !== Newline && tokens[at - 1]?.tokenType !== Doc) at -= 1;
  return tokens[at]?.image;
}

/** Whether the brace at this index opens the arms of a `match`. */
function opensArms(tokens: readonly Token[], index: number): boolean {
  for (let at = index - 1; at >= 0 && tokens[at]?.tokenType !== Newline; at--) {
    if (tokens[at]?.image === "match") return true;
    if (tokens[at]?.tokenType === LeftBrace) return false;
  }
  return false;
}

/** A number, or a name with those behind its dots, that ends or begins at this index; `null` where something else stands there. */
function pathFrom(tokens: readonly Token[], index: number, by: 1 | -1): readonly Token[] | null {
  const found: Token[] = [];
  for (let at = index; ; at += 2 * by) {
    const atom = tokens[at];
    if (atom?.tokenType !== Identifier && !(atom?.tokenType === NumberToken && found.length === 0)) return null;
    found.push(atom);
    const dot = tokens[at + by];
    if (dot?.tokenType !== Dot || atom.tokenType === NumberToken) break;
    found.push(dot);
  }
  return by > 0 ? found : found.reverse();
}

const textOf = (path: readonly Token[]): string => path.map(({ image }) => image).join("");

/** Whether what stands before an operand is multiplied or divided with it, or called. */
function goesOnWith(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index]?.tokenType;
  return before === Star || before === Slash || before === Minus || (before !== undefined && isCloser(before));
}

/** The last token of `== 0`. */
function comparedWithNothing(tokens: readonly Token[], index: number): Token | null {
  const zero = tokens[index + 1];
  return tokens[index]?.tokenType === EqualEqual && zero?.image === "0" ? zero : null;
}

/** YAML's `---` on a line of its own. */
function isDocumentStart(source: Source, token: Token): boolean {
  return /^---[ \t]*(?:[\r\n]|$)/.test(source.text.slice(token.startOffset, token.startOffset + 80));
}

function startsLine(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1]?.tokenType;
  return before === undefined || before === Newline || before === Doc;
}
