/** What YAML writes before or in the place of a value: `&anchor 4`, `!!int 4`, `~`. */
import { foreignForm, foreignOperator } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { endOf, type Token } from "../lexer/token.ts";
import { Colon, Equal } from "../lexer/vocabulary.ts";
import type { Source, Span } from "../source/source.ts";

/** `null` where the token is no YAML; without a diagnostic where the one before has it. */
export function ofYaml(
  source: Source,
  tokens: readonly Token[],
  index: number,
): { readonly diagnostic: Diagnostic | null } | null {
  const token = tokens[index];
  const before = tokens[index - 1];
  if (token === undefined || before === undefined) return null;
  const text = source.text.slice(token.startOffset, token.startOffset + 80);
  if (token.image === "!" && before.image === "!" && endOf(before) === token.startOffset) return { diagnostic: null };
  if (before.tokenType !== Equal && before.tokenType !== Colon) return null;
  const said = (written: string, instead: string): { readonly diagnostic: Diagnostic } => {
    const span: Span = { source, start: token.startOffset, end: token.startOffset + written.length };
    return { diagnostic: foreignForm(span, { written, instead }) };
  };
  const tag = /^!!\w+/.exec(text)?.[0];
  if (tag !== undefined) return said(tag, "values need no type tag");
  const anchor = /^&([A-Za-z_]\w*)/.exec(text);
  if (anchor !== null) return said(anchor[0], `a reused value gets a name: \`let ${anchor[1]} = …\``);
  if (!/^~\s*(?:[\r\n,}\])]|$)/.test(text)) return null;
  const span: Span = { source, start: token.startOffset, end: endOf(token) };
  const fixes = [{ title: "write `none`", edits: [{ span, newText: "none" }] }];
  return { diagnostic: foreignOperator(span, { found: "~", instead: "no value is `none`" }, { fixes }) };
}
