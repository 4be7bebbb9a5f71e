/** What other formats write where a value begins: `*alias` and `|` of YAML, `<<EOT` of shells and Terraform. */
import { foreignForm } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { endOf, type Token } from "../lexer/token.ts";
import * as t from "../lexer/vocabulary.ts";
import type { Source, Span } from "../source/source.ts";

const severalLines = 'a text of several lines is written between `"""` and `"""`';

export function foreignValue(source: Source, before: Token, next: Token): Diagnostic | null {
  const start = next.startOffset;
  const text = source.text.slice(start, start + 80);
  const said = (written: string): Span => ({ source, start, end: start + written.length });
  const document = /^<<[-~]?["']?[A-Za-z_]\w*["']?/.exec(text)?.[0];
  if (document !== undefined) return foreignForm(said(document), { written: document, instead: severalLines });
  if (before.tokenType !== t.Equal && before.tokenType !== t.Colon) return null;
  const scalar = /^[|>][-+]?(?=[ \t]*[\r\n])/.exec(text)?.[0];
  if (scalar !== undefined) return foreignForm(said(scalar), { written: scalar, instead: severalLines });
  const [alias, name] = /^\*([A-Za-z_]\w*)(?=\s*(?:[\r\n,}\])]|$))/.exec(text) ?? [];
  if (alias === undefined || name === undefined || endOf(next) !== start + 1) return null;
  const fixes = [{ title: `write \`${name}\``, edits: [{ span: said(alias), newText: name }] }];
  return foreignForm(said(alias), { written: alias, instead: "a name alone gives its value" }, { fixes });
}
