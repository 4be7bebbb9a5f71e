/** What names something outside, or a part of something, as other languages write it: `hf://a/b`, `/data/x`, `a::b`, `xs[1:2]`. */
import { foreignForm, unquoted } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic, Fix } from "../diagnostics/diagnostic.ts";
import { lineAround } from "../source/line-around.ts";
import type { Source, Span } from "../source/source.ts";

/** A text that names a file or an address, up to where the value must end. */
const path = /(?:~|\.{0,2})\/(?:[\w.*?~]|\{[^\s{}()"'=]+\})(?:[\w.*?~/+-]|\{[^\s{}()"'=]+\}|\[[\w!^-]+\])*/y;

/** What a `:` that no rule reads belongs to; `null` where it is nothing known. */
export function atColon(source: Source, colon: number): Diagnostic | null {
  const { before, after } = lineAround(source.text, colon);
  const word = /[A-Za-z_][\w.]*$/.exec(before)?.[0];
  const address = /^:\/\/(?:[^\s"',()[\]{}]|\{[^\s{}()"'=]+\})+/.exec(after)?.[0];
  if (word !== undefined && address !== undefined) {
    return quotes({ source, start: colon - word.length, end: colon + address.length });
  }
  const variable = /\$\{(?:[A-Za-z_][\w.]*)$/.exec(before)?.[0];
  const rest = /^:([A-Za-z_][\w.]*)(?:,([^}"]*))?\}/.exec(after);
  if (variable !== undefined && rest !== null) {
    const span = { source, start: colon - variable.length, end: colon + rest[0].length };
    const isEnvironment = /env$/i.test(variable);
    const fallback = rest[2] === undefined ? "" : `, default = ${JSON.stringify(rest[2].trim())}`;
    const newText = `\${env("${rest[1]}"${fallback})}`;
    const instead = isEnvironment
      ? `an environment variable is \`${newText}\``
      : "`${` and `}` enclose a value: `${scale}`";
    return foreign(span, instead, isEnvironment ? newText : null);
  }
  const member = /^::\s*[A-Za-z_]\w*/.exec(after)?.[0];
  if (word !== undefined && member !== undefined) {
    const span = { source, start: colon - word.length, end: colon + member.length };
    const newText = `${word}.${member.replace(/^::\s*/, "")}`;
    return foreign(span, "a member follows a dot", newText);
  }
  const items = /[\w\])]\[[^[\]]*$/.exec(before)?.[0].slice(1);
  const end = /^:[^[\]]*\]/.exec(after)?.[0];
  if (items !== undefined && end !== undefined) {
    const span = { source, start: colon - items.length, end: colon + end.length };
    return foreign(span, "parts of a list are selected by a condition: `[x for x in xs if x > 1]`", null);
  }
  return null;
}

/** A path without quotes where a value begins. */
export function atPath(source: Source, start: number): Diagnostic | null {
  // An end tag of XML.
  if (source.text[start - 1] === "<") return null;
  path.lastIndex = start;
  const written = path.exec(source.text)?.[0];
  return written === undefined ? null : quotes({ source, start, end: start + written.length });
}

/** `corpus/*.txt`: a name and `/` before a star or a question mark, which no product is. */
export function atGlob(source: Source, at: number): Diagnostic | null {
  const line = lineAround(source.text, at);
  const before = /[=:([,][ \t]*((?:[\w.*?/-]|\{[^\s{}()"'=]+\})*)$/.exec(line.before)?.[1];
  const after = /^(?:[\w.*?/-]|\{[^\s{}()"'=]+\}|\[[\w!^-]+\])*/.exec(line.after)?.[0] ?? "";
  if (before === undefined) return null;
  const span = { source, start: at - before.length, end: at + after.length };
  return /^(?:[A-Za-z_][\w.-]*\/[\w./-]*[*?]|\*\.[A-Za-z]|\*\*?\/)/.test(before + after) ? quotes(span) : null;
}

/** `{a,b}/*.txt`, `corpus/{train,val}.jsonl`: names in braces that are glued to a path. `at` stands in the braces. */
export function atBraces(source: Source, at: number): Diagnostic | null {
  const line = lineAround(source.text, at);
  const before = /[=([,][ \t]*((?:[\w.*?/-]|\{[^\s{}()"'=]+\})*\{[^\s{}()"'=:]*)$/.exec(line.before)?.[1];
  const after = /^[^\s{}()"'=:]*\}(?:[\w.*?/-]|\{[^\s{}()"'=]+\}|\[[\w!^-]+\])*/.exec(line.after)?.[0];
  if (before === undefined || after === undefined) return null;
  const written = before + after;
  const isPath = /[/*?.]/.test(written.replace(/\{[^{}]*\}/g, ""));
  return isPath ? quotes({ source, start: at - before.length, end: at + after.length }) : null;
}

/** `corpus/web.txt`: a name that is part of a path, which reads as a quotient. */
export function inPath({ source, start, end }: Span, isDeclared: (name: string) => boolean): Diagnostic | null {
  const { text } = source;
  const before = /[=([,][ \t]*([\w./-]*)$/.exec(lineAround(text, start).before)?.[1];
  const after = /^[\w./-]*/.exec(lineAround(text, end).after)?.[0] ?? "";
  if (before === undefined) return null;
  const span = { source, start: start - before.length, end: end + after.length };
  const first = /^([A-Za-z_][\w-]*)(?:\/[\w.-]+)+\.[A-Za-z]\w{1,5}$/.exec(text.slice(span.start, span.end))?.[1];
  return first === undefined || isDeclared(first) ? null : quotes(span);
}

function quotes(span: Span): Diagnostic {
  const text = span.source.text.slice(span.start, span.end);
  return unquoted(span, { text }, { fixes: [write(span, JSON.stringify(text))] });
}

function foreign(span: Span, instead: string, newText: string | null): Diagnostic {
  const written = span.source.text.slice(span.start, span.end);
  return foreignForm(span, { written, instead }, { fixes: newText === null ? [] : [write(span, newText)] });
}

const write = (span: Span, newText: string): Fix => ({ title: `write \`${newText}\``, edits: [{ span, newText }] });
