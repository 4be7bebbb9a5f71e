import {
  stringDollar,
  stringEscape,
  stringInterpolation,
  stringNul,
  stringQuotes,
  stringUnterminated,
} from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic, Fix } from "../diagnostics/diagnostic.ts";
import { replacement } from "../diagnostics/suggest.ts";
import type { Source, Span } from "../source/source.ts";
import { isShellRun, shellRunFix } from "./shell-run.ts";
import { scanString } from "./string.ts";
import { commonIndent, stringPieces, type StringProblem } from "./string-pieces.ts";
import { endOf, makeToken, repair, type Token } from "./token.ts";
import { InterpolationClose, InterpolationOpen, StringClose, StringOpen, StringText } from "./vocabulary.ts";

/**
 * Reads what is between the quotes. A string without interpolations stays one token, whose payload is its text;
 * `inner` gives the tokens of an interpolated stretch.
 */
export function expandString(
  source: Source,
  token: Token,
  inner: (from: number, to: number) => readonly Token[],
  out: Diagnostic[],
): readonly Token[] {
  const { text } = source;
  const start = token.startOffset;
  const end = endOf(token);
  const span: Span = { source, start, end };
  if (text[start] !== '"') {
    return [foreignQuotes(span, token, out)];
  }
  const quote = text.startsWith('"""', start) ? '"""' : '"';
  const closed =
    token.image.length >= 2 * quote.length && scanString(text, start).closed && token.image.endsWith(quote);
  const isHalf = !closed && quote === '"' && /.[“”]$/.test(token.image);
  if (!closed) {
    out.push(isHalf ? halfTurned(span) : unterminated(span, quote));
    repair(token);
  }
  let from = start + quote.length;
  const to = Math.max(from, closed || isHalf ? end - quote.length : end);

  let indent = -1;
  if (quote === '"""') {
    const opening = /^[ \t]*(?:\r\n|\n|\r)/.exec(text.slice(from, to));
    if (opening !== null) from += opening[0].length;
    indent = opening === null ? 0 : commonIndent(text.slice(from, to));
  }
  const { pieces, problems } = stringPieces(text, from, to, indent);
  if (closed) for (const problem of problems) out.push(report(source, problem));

  if (!pieces.some((piece) => piece.kind === "expression")) {
    token.payload = pieces.map((piece) => (piece.kind === "text" ? piece.text : "")).join("");
    return [token];
  }
  const open = makeToken(StringOpen, quote, start);
  const into: Token[] = [closed ? open : repair(open)];
  for (const piece of pieces) {
    if (piece.kind === "text") {
      into.push(makeToken(StringText, text.slice(piece.start, piece.end), piece.start, piece.text));
      continue;
    }
    into.push(makeToken(InterpolationOpen, "${", piece.start - 2));
    for (const innerToken of inner(piece.start, piece.end)) into.push(innerToken);
    into.push(makeToken(InterpolationClose, "}", piece.end));
  }
  into.push(makeToken(StringClose, closed ? quote : "", closed ? end - quote.length : end));
  return into;
}

function foreignQuotes(span: Span, token: Token, out: Diagnostic[]): Token {
  const last = token.image.at(-1) ?? "";
  const content = token.image.slice(1, token.image.length > 1 && /['’”“»`"]/.test(last) ? -1 : undefined);
  const text = content.replaceAll(String.raw`\'`, "'");
  const behind = span.source.text.slice(span.end, span.end + 40);
  const before = span.source.text.slice(Math.max(0, span.start - 200), span.start);
  // `'layers' = 4`: a name at the beginning of a member has no quotes at all.
  const isName = /^\w+$/.test(text) && /^[ \t]*(?:=(?!=)|:|\{)/.test(behind) && /(?:^|[\r\n{,])[ \t]*$/.test(before);
  const quoted = `"${text.replaceAll('"', String.raw`\"`)}"`;
  // Where a property lists the word it stands bare: of the two, the one that mends is offered.
  const said = isName ? [text] : /^[A-Za-z]\w*$/.test(text) ? [quoted, text] : [quoted];
  const fixes = said.map((newText) => ({ title: `write \`${newText}\``, edits: [{ span, newText }] }));
  out.push(stringQuotes(span, {}, { fixes }));
  token.payload = text;
  return token;
}

/** An editor has turned the quote that closes a text, and not the one that opens it. */
function halfTurned(span: Span): Diagnostic {
  return stringQuotes(span, {}, { fixes: [replacement({ ...span, start: span.end - 1 }, '"')] });
}

function unterminated(span: Span, quote: string): Diagnostic {
  const { source } = span;
  const trailing = /[ \t\r\n]*$/.exec(source.text.slice(span.start, span.end))?.[0].length ?? 0;
  const at: Span = { source, start: span.end - trailing, end: span.end - trailing };
  const written = source.text.slice(span.start, span.end);
  // What ends in a quote and is not closed is closed on a later line.
  const isLong = quote === '"' && written.endsWith(quote) && /[\r\n]/.test(written);
  const firstLine = /^[^\r\n]*/.exec(source.text.slice(span.start, span.end))?.[0].length ?? 1;
  const ends = [span.start, span.end - 1].map((start) => ({
    span: { source, start, end: start + 1 },
    newText: '"""',
  }));
  const fix: Fix = isLong
    ? { title: "put it between triple quotes", edits: ends }
    : { title: `close the string`, edits: [{ span: at, newText: quote }] };
  return stringUnterminated({ ...span, end: span.start + firstLine }, { quote: `\`${quote}\`` }, { fixes: [fix] });
}

function report(source: Source, problem: StringProblem): Diagnostic {
  const span: Span = { source, start: problem.start, end: problem.end };
  const edit = (title: string, newText: string): Fix => ({ title, edits: [{ span, newText }] });
  switch (problem.kind) {
    case "escape": {
      const escape = source.text.slice(problem.start, problem.end);
      return stringEscape(span, { escape }, { fixes: [edit("write the backslash twice", `\\${escape}`)] });
    }
    case "nul":
      return stringNul(span, {}, { fixes: [edit("leave it out", "")] });
    case "interpolation":
      return stringInterpolation(span, {}, { fixes: [edit("keep it as text", "\\${")] });
    case "dollar": {
      const value = `\${${problem.name}}`;
      const first = isShellRun(problem.name) ? shellRunFix(span, "${run.id}") : edit(`write \`${value}\``, value);
      const fixes = [first, edit("keep it as text", `\\$${problem.name}`)];
      return stringDollar(span, { name: problem.name }, { fixes });
    }
  }
}
