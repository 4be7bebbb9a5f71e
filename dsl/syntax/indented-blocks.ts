/** Blocks as YAML and Python write them, opened by a colon and closed by indentation, read as if their braces stood there. */
import { colonForEqual, declarationEqual, foreignForm } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic, Edit } from "../diagnostics/diagnostic.ts";
import { endOf, makeToken, repair, type Token, type TokenType } from "../lexer/token.ts";
import { Colon, Equal, LeftBrace, Mistake, RightBrace } from "../lexer/vocabulary.ts";
import { lineStart } from "../source/line-start.ts";
import type { Source, Span } from "../source/source.ts";
import { closerOf, isCloser } from "./brackets/closers.ts";
import { opensIndented } from "./opens-indented.ts";

export function readIndented(source: Source, tokens: Token[], out: Diagnostic[]): Token[] {
  const colons = new Set(
    tokens.filter(({ tokenType }, at) => tokenType === Colon && endsLine(source, tokens[at + 1]?.startOffset)),
  );
  if (colons.size === 0) return tokens;
  const result: Token[] = [];
  const open: TokenType[] = [];
  /** Colons by their offsets, with what they stand for, and where blocks end, with how many do. */
  const signs = new Map<number, TokenType>();
  const ends = new Map<number, number>();
  let reached = 0;
  let skipped = 0;
  for (const token of tokens) {
    if (token.startOffset < skipped) continue;
    for (let braces = ends.get(reached) ?? 0; braces > 0; braces--)
      result.push(repair(makeToken(RightBrace, "", reached)));
    ends.delete(reached);
    reached = endOf(token);
    const { tokenType, startOffset } = token;
    if (colons.has(token) && isStatement(source, token)) {
      skipped = endOfStatement(source, token);
      result.push(token, makeToken(Mistake, "", reached));
      continue;
    }
    const text = colons.has(token) ? foldedText(source, token) : null;
    if (text !== null) {
      out.push(text.told);
      skipped = text.end;
      result.push(repair(makeToken(Equal, token.image, startOffset)), repair(makeToken(Mistake, "", reached)));
      continue;
    }
    const holdsMembers = open.length === 0 || open.at(-1) === LeftBrace;
    if (holdsMembers && !signs.has(startOffset) && colons.has(token) && opensIndented(source, reached)) {
      const found = blockBelow(source, token);
      if (found !== null) {
        out.push(found.told);
        for (const [offset, sign] of found.signs) signs.set(offset, sign);
        for (const [offset, braces] of found.ends) ends.set(offset, braces);
      }
    }
    const sign = signs.get(startOffset);
    if (tokenType === Colon && sign !== undefined) {
      result.push(repair(makeToken(sign, token.image, startOffset)));
      continue;
    }
    if (closerOf(tokenType) !== undefined) open.push(tokenType);
    else if (isCloser(tokenType)) open.pop();
    result.push(token);
  }
  for (const [offset, braces] of ends)
    for (let left = braces; left > 0; left--) result.push(repair(makeToken(RightBrace, "", offset)));
  return result;
}

/** Statements of Python: what stands below them is part of what is refused. */
const statements = /^[ \t]*(?:if|for|while|with|try|def|class|async)\b/;
const goesOn = /^(?:elif|else|except|finally)\b/;

const isStatement = ({ text }: Source, { startOffset }: Token): boolean =>
  statements.test(text.slice(lineStart(text, startOffset), startOffset));

function endOfStatement({ text }: Source, { startOffset }: Token): number {
  const own = /^[ \t]*/.exec(text.slice(lineStart(text, startOffset)))?.[0].length ?? 0;
  const lines = /([^\r\n]*)(\r\n|\r|\n|$)/y;
  lines.lastIndex = startOffset;
  let end = startOffset + (lines.exec(text)?.[1]?.length ?? 0);
  while (lines.lastIndex < text.length) {
    const at = lines.lastIndex;
    const said = lines.exec(text)?.[1] ?? "";
    if (said.trim() === "") continue;
    const indent = /^[ \t]*/.exec(said)?.[0].length ?? 0;
    if (indent < own || (indent === own && !goesOn.test(said.trimStart()))) break;
    end = at + said.length;
  }
  return end;
}

/** Nothing more, or the sign of a text that stands below. */
const endsLine = ({ text }: Source, at = text.length): boolean =>
  /^(?:[>|][+-]?[ \t]*)?(?:[\r\n]|$)/.test(text.slice(at, at + 40));

/** `prompt: |` and the lines of a text below it. */
function foldedText(source: Source, colon: Token): { readonly told: Diagnostic; readonly end: number } | null {
  const start = endOf(colon);
  const sign = /^[ \t]*([>|][+-]?)[ \t]*(?=[\r\n])/.exec(source.text.slice(start));
  if (sign === null) return null;
  const end = endOfStatement(source, colon);
  const indent = /^[ \t]*/.exec(source.text.slice(lineStart(source.text, colon.startOffset)))?.[0] ?? "";
  const edits: Edit[] = [
    { span: { source, start: colon.startOffset, end: start + sign[0].length }, newText: ' = """' },
    { span: { source, start: end, end }, newText: `\n${indent}"""` },
  ];
  const span: Span = { source, start: colon.startOffset, end: start + sign[0].trimEnd().length };
  const slots = {
    written: `: ${sign[1] ?? ""}`,
    instead: 'a text of several lines is written between `"""` and `"""`',
  };
  return { told: foreignForm(span, slots, { fixes: [{ title: 'write `= """`', edits }] }), end };
}

interface Found {
  readonly told: Diagnostic;
  readonly signs: ReadonlyMap<number, TokenType>;
  readonly ends: ReadonlyMap<number, number>;
}

/** The block that a colon opens, with those in it; `null` where no header stands before it. */
function blockBelow(source: Source, colon: Token): Found | null {
  const { text } = source;
  const from = lineStart(text, colon.startOffset);
  const [, blank = "", header] =
    /^([ \t]*)([A-Za-z_][\w., ]*?)[ \t]*$/.exec(text.slice(from, colon.startOffset)) ?? [];
  if (header === undefined || /^(?:param|let|fn|secret)\b/.test(header)) return null;
  const start = colon.startOffset;
  const signs = new Map<number, TokenType>([[start, LeftBrace]]);
  const ends = new Map<number, number>();
  const edits: Edit[] = [
    { span: { source, start: from + blank.length + header.length, end: endOf(colon) }, newText: " {" },
  ];
  /** Blocks that are open, by how their lines begin. */
  const open = [blank];
  let end = endOf(colon);
  const close = (indent: number): void => {
    const closed: string[] = [];
    while ((open.at(-1)?.length ?? -1) >= indent) closed.push(`\n${open.pop() ?? ""}}`);
    if (closed.length === 0) return;
    ends.set(end, closed.length);
    edits.push({ span: { source, start: end, end }, newText: closed.join("") });
  };
  const lines = /(?:\r\n|\r|\n)([ \t]*)([^\r\n]*)/y;
  lines.lastIndex = end + (/^[^\r\n]*/.exec(text.slice(end))?.[0].length ?? 0);
  for (let line = lines.exec(text); line !== null; line = lines.exec(text)) {
    const [whole, indent = "", said = ""] = line;
    if (said === "" || /^(?:#|\/\/)/.test(said)) continue;
    if (indent.length <= blank.length) {
      // Whoever closes it by a brace lacks only the other one.
      if (said.startsWith("}") && indent.length === blank.length) return null;
      break;
    }
    close(indent.length);
    const at = line.index + whole.length - said.length;
    end = at + said.replace(/[ \t]*(?:(?:#|\/\/).*)?$/, "").length;
    const [, name, blanks = ""] = /^([A-Za-z_][\w.]*)([ \t]*):(?=\s|$)/.exec(said) ?? [];
    if (name === undefined) continue;
    const sign: Span = { source, start: at + name.length, end: at + name.length + blanks.length + 1 };
    const isBare = /^[ \t]*(?:(?:#|\/\/).*)?$/.test(said.slice(name.length + blanks.length + 1));
    const opens = isBare && opensIndented(source, sign.end);
    // What a list stands below has its own message.
    if (isBare && !opens) continue;
    signs.set(sign.end - 1, opens ? LeftBrace : Equal);
    edits.push({ span: sign, newText: opens ? " {" : " =" });
    if (opens) open.push(indent);
  }
  close(blank.length);
  const [kind = "", name, ...more] = header.split(/[ \t]+/);
  const span: Span = { source, start, end: endOf(colon) };
  const fixes = [{ title: "write `{ … }`, with `=` in each line", edits }];
  const told =
    name !== undefined && more.length === 0
      ? declarationEqual(span, { kind, name, sign: ":" }, { fixes })
      : colonForEqual(span, { name: header, isBlock: true }, { fixes, fix: `Write \`${header} { … }\`.` });
  return { told, signs, ends };
}
