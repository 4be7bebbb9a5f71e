/** `!include models.cdr`, `@include "models.cdr"`: how YAML and preprocessors bring another file. */
import { foreignForm, foreignImport } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic, Fix } from "../diagnostics/diagnostic.ts";
import { replacement } from "../diagnostics/suggest.ts";
import { foreignImportOf, ownName } from "../lexer/foreign-imports.ts";
import { endOf, type Token } from "../lexer/token.ts";
import type { Source, Span } from "../source/source.ts";
import { startsLine } from "./token-lines.ts";

/** `null` where the sign at this index stands before nothing of the kind. */
export function included(source: Source, tokens: readonly Token[], index: number): Diagnostic | null {
  const sign = tokens[index];
  const next = tokens[index + 1];
  if (sign === undefined || next?.startOffset !== endOf(sign)) return null;
  if (!/^(?:include|import|require|load)$/.test(next.image)) return null;
  const word = `${sign.image}${next.image}`;
  const span: Span = { source, start: sign.startOffset, end: endOf(next) };
  const brought = foreignImportOf(source.text, next.startOffset);
  if (brought === null || !startsLine(tokens, index)) {
    const written = brought?.written ?? 'import "./file.cdr" { name }';
    const instead = `a file is brought above all else, \`${written}\`, and its names are values`;
    const fixes = brought === null ? [] : broughtAbove(source, sign.startOffset, next.startOffset + brought.length);
    return foreignForm(span, { written: word, instead }, { fixes });
  }
  const { written, length } = brought;
  const whole: Span = { ...span, end: next.startOffset + length };
  return foreignImport(span, { word, written }, { fixes: [replacement(whole, written)] });
}

/** The one value of a file is called as the file is, most often; where something here is, nobody knows. */
function broughtAbove(source: Source, start: number, end: number): readonly Fix[] {
  const file = /[^\s"']+(?=["']?$)/.exec(source.text.slice(start, end))?.[0] ?? "";
  const name = ownName(file);
  if (new RegExp(`^[ \\t]*\\w+[ \\t]+${name}\\b`, "m").test(source.text)) return [];
  const line = `import "${file}" { ${name} }`;
  const edits = [
    { span: { source, start: 0, end: 0 }, newText: `${line}\n` },
    { span: { source, start, end }, newText: name },
  ];
  return [{ title: `write \`${line}\` and \`${name}\``, edits }];
}
