import {
  dollar,
  foreignOperator,
  leadingMinus,
  semicolon,
  unknownCharacter,
  yamlList,
} from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic, Edit, Fix } from "../diagnostics/diagnostic.ts";
import { endOf, makeToken, type Token, type TokenType } from "../lexer/token.ts";
import {
  And,
  Arrow,
  Colon,
  Comma,
  Doc,
  Equal,
  EqualEqual,
  ForeignOperator,
  Identifier,
  LeftBrace,
  LeftSquare,
  Minus,
  Mistake,
  Newline,
  Not,
  NotEqual,
  NumberToken,
  Or,
  RightParen,
  RightSquare,
  Star,
} from "../lexer/vocabulary.ts";
import type { Source, Span } from "../source/source.ts";
import { closerOf, isCloser } from "./brackets.ts";

/** Reads what other languages write as what it means here, with a diagnostic for each. */
export function readNewcomers(source: Source, tokens: readonly Token[], out: Diagnostic[]): Token[] {
  if (!tokens.some((token) => token.tokenType === ForeignOperator || token.tokenType === Minus)) return [...tokens];
  const result: Token[] = [];
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
    const holdsMembers = open.length === 0 || open.at(-1)?.type === LeftBrace;
    if (tokenType === Minus && holdsMembers && startsLine(tokens, index)) {
      index = readDash(source, tokens, index, result, out);
      continue;
    }
    if (closerOf(tokenType) !== undefined) open.push({ type: tokenType, at: result.length });
    else if (isCloser(tokenType)) open.pop();
    result.push(token);
  }
  return result;
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
    result.push(makeToken(type, found, start));
  };

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
    else replace(Mistake, "`=>` stands in a `match`, `:` before a type", []);
  } else if (call !== undefined) {
    const left = tokens[index - 1];
    const right = tokens[index + 1];
    const simple = isAtom(left) && isAtom(right) && tokens[index - 2]?.image !== ".";
    const whole: Span = { source, start: left?.startOffset ?? start, end: endOf(right ?? token) };
    replace(Star, `write \`${call}(a, b)\``, simple ? [write(`${call}(${left.image}, ${right.image})`, whole)] : []);
  } else if (found === ";") {
    const last = tokens[index + 1] === undefined || tokens[index + 1]?.tokenType === Newline;
    const line = Math.max(source.text.lastIndexOf("\n", start), source.text.lastIndexOf("\r", start)) + 1;
    const indent = /^[ \t]*/.exec(source.text.slice(line, start))?.[0];
    const blanks = /^[ \t]*/.exec(source.text.slice(span.end))?.[0].length ?? 0;
    const edit: Edit = last
      ? { span, newText: "" }
      : { span: { ...span, end: span.end + blanks }, newText: `\n${indent ?? ""}` };
    out.push(semicolon(span, {}, { fixes: [{ title: last ? "remove it" : "begin a new line", edits: [edit] }] }));
    result.push(makeToken(Newline, ";", start));
  } else if (found.startsWith("$")) {
    const name = found.slice(1);
    const instead = /^(RUN|RUN_ID|SLURM_JOB_ID|JOB_ID)$/.test(name) ? "run.id" : name.toLowerCase();
    out.push(dollar(span, { text: found }, { fixes: name === "" ? [] : [write(instead)] }));
    result.push(makeToken(Mistake, found, start));
  } else if (found === "\\" && tokens[index + 1]?.tokenType === Newline) {
    out.push(
      foreignOperator(
        span,
        { found, instead: "a line goes on after an operator" },
        { fixes: [{ title: "remove it", edits: [{ span, newText: "" }] }] },
      ),
    );
  } else if (found === "?") {
    replace(Mistake, "write `if c then a else b`", []);
  } else {
    out.push(unknownCharacter(span, { text: found }));
    result.push(makeToken(Mistake, found, start));
  }
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

function isAtom(token: Token | undefined): token is Token {
  return token?.tokenType === Identifier || token?.tokenType === NumberToken;
}

function startsLine(tokens: readonly Token[], index: number): boolean {
  const before = tokens[index - 1]?.tokenType;
  return before === undefined || before === Newline || before === Doc;
}

/** A line that begins with `-`: YAML's list, or an operator on the wrong line. Returns the last index it took up. */
function readDash(
  source: Source,
  tokens: readonly Token[],
  index: number,
  result: Token[],
  out: Diagnostic[],
): number {
  const dash = tokens[index] ?? makeToken(Minus, "-", 0);
  const span: Span = { source, start: dash.startOffset, end: endOf(dash) };
  const before = result.findLastIndex((token) => token.tokenType !== Newline && token.tokenType !== Doc);
  const sign = result[before];
  const afterKey =
    (sign?.tokenType === Colon || sign?.tokenType === Equal) && result[before - 1]?.tokenType === Identifier;
  const lines = dashedLines(source, tokens, index);
  if (!afterKey && lines.length === 1 && !/^-[ \t]/.test(source.text.slice(span.start, span.start + 2))) {
    result.push(dash);
    return index;
  }
  if (
    !afterKey &&
    lines.length === 1 &&
    before >= 0 &&
    sign?.tokenType !== Comma &&
    closerOf(sign?.tokenType ?? Comma) === undefined
  ) {
    const end = endOf(sign ?? dash);
    const fix: Fix = {
      title: "put it at the end of the line before",
      edits: [
        { span: { source, start: end, end }, newText: " -" },
        { span: { source, start: span.start, end: span.end + 1 }, newText: "" },
      ],
    };
    out.push(leadingMinus(span, {}, { fixes: [fix] }));
    result.length = before + 1;
    result.push(dash);
    return index;
  }
  const last = lines.at(-1)?.last ?? index;
  const simple = lines.every((line) => line.last > line.first && !line.nested);
  if (!afterKey || !simple || sign === undefined) {
    out.push(yamlList(span, {}));
    if (afterKey) {
      result[before] = makeToken(Equal, sign?.image ?? "", sign?.startOffset ?? 0);
      result.push(makeToken(Mistake, "", span.start));
    }
    return last;
  }
  const end = endOf(tokens[last] ?? dash);
  const signStart = sign.tokenType === Colon && source.text[sign.startOffset - 1] !== " " ? " = [" : "= [";
  const edits: Edit[] = [
    { span: { source, start: sign.startOffset, end: endOf(sign) }, newText: signStart },
    ...lines.map((line): Edit => {
      const token = tokens[line.first];
      const next = tokens[line.first + 1];
      return { span: { source, start: token?.startOffset ?? 0, end: next?.startOffset ?? 0 }, newText: "" };
    }),
    { span: { source, start: end, end }, newText: "]" },
  ];
  out.push(yamlList(span, {}, { fixes: [{ title: "write a list in `[ ]`", edits }] }));
  result[before] = makeToken(Equal, sign.image, sign.startOffset);
  result.length = before + 1;
  result.push(makeToken(LeftSquare, "", span.start));
  for (const line of lines) {
    for (let at = line.first + 1; at <= line.last; at++) {
      const token = tokens[at];
      if (token !== undefined) result.push(token);
    }
    result.push(makeToken(Comma, "", endOf(tokens[line.last] ?? dash)));
  }
  result.push(makeToken(RightSquare, "", end));
  return last;
}

interface DashedLine {
  readonly first: number;
  readonly last: number;
  /** It is a mapping, or goes on in deeper lines. */
  readonly nested: boolean;
}

/** The lines from `index` on that begin with a dash in its column, with the deeper lines below each. */
function dashedLines(source: Source, tokens: readonly Token[], index: number): readonly DashedLine[] {
  const column = columnOf(source, tokens[index]);
  const lines: DashedLine[] = [];
  for (let first = index; first < tokens.length;) {
    const token = tokens[first];
    const isDash = token?.tokenType === Minus && columnOf(source, token) === column;
    const isDeeper =
      lines.length > 0 && columnOf(source, token) > column && token !== undefined && !isCloser(token.tokenType);
    if (!isDash && !isDeeper) break;
    let last = first;
    let depth = 0;
    let nested = !isDash;
    for (let at = first + 1; at < tokens.length; at++) {
      const type = tokens[at]?.tokenType;
      if (type === undefined || type === Newline) break;
      if (closerOf(type) !== undefined) depth += 1;
      else if (isCloser(type)) depth -= 1;
      if (depth < 0) break;
      if (depth === 0 && (type === Colon || type === Equal)) nested = true;
      last = at;
    }
    const previous = lines.at(-1);
    if (isDash) lines.push({ first, last, nested });
    else if (previous !== undefined) lines[lines.length - 1] = { first: previous.first, last, nested: true };
    if (depth !== 0) {
      lines[lines.length - 1] = {
        first: lines.at(-1)?.first ?? first,
        last: closeOf(tokens, first, last),
        nested: true,
      };
      last = lines.at(-1)?.last ?? last;
    }
    first = last + 1;
    while (tokens[first]?.tokenType === Newline) first += 1;
  }
  return lines;
}

/** The index at which brackets opened between `first` and `last` are closed again. */
function closeOf(tokens: readonly Token[], first: number, last: number): number {
  let depth = 0;
  for (let at = first; at < tokens.length; at++) {
    const type = tokens[at]?.tokenType;
    if (type === undefined) break;
    if (closerOf(type) !== undefined) depth += 1;
    else if (isCloser(type)) depth -= 1;
    if (depth < 0) return Math.max(last, at - 1);
    if (depth === 0 && at >= last) return at;
  }
  return tokens.length - 1;
}

function columnOf(source: Source, token: Token | undefined): number {
  if (token === undefined) return -1;
  const start = token.startOffset;
  return start - Math.max(source.text.lastIndexOf("\n", start - 1), source.text.lastIndexOf("\r", start - 1)) - 1;
}
