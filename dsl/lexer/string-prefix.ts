import { stringPrefix } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Source } from "../source/source.ts";
import { endOf, makeToken, type Token } from "./token.ts";
import { Identifier, Mistake } from "./vocabulary.ts";

const prefixes = /^(?:f|r|b|u|s|raw|[bf]r|r[bf])$/i;

/** Whether a string stands right behind a letter that makes another kind of string of it elsewhere: `f"…"`, `r"…"`. */
export function isPrefix(word: Token | undefined, string: Token): word is Token {
  return word?.tokenType === Identifier && endOf(word) === string.startOffset && prefixes.test(word.image);
}

/** Both as one mistake: what the string would hold is not certain. */
export function prefixedString(source: Source, word: Token, string: Token, out: Diagnostic[]): Token {
  const span = { source, start: word.startOffset, end: endOf(string) };
  const prefix = word.image.toLowerCase();
  const [, quotes = "", inside = ""] = /^("""|"|'''|'|)([^]*?)\1$/.exec(string.image) ?? [];
  const written = meant(prefix, quotes === '"' ? inside : inside.replaceAll('"', String.raw`\"`));
  const newQuotes = quotes.length === 3 ? '"""' : '"';
  const newText = `${newQuotes}${written}${newQuotes}`;
  const isShort = !/[\r\n]/.test(newText) && newText.length <= 40;
  const title = isShort ? `write \`${newText}\`` : "write a plain string";
  const fixes = quotes === "" ? [] : [{ title, edits: [{ span, newText }] }];
  out.push(stringPrefix(span, { prefix: word.image, instead: instead(prefix) }, { fixes }));
  return makeToken(Mistake, source.text.slice(span.start, span.end), span.start);
}

function meant(prefix: string, inside: string): string {
  if (prefix.includes("f")) {
    return inside.replaceAll(/\{\{|\}\}|\$?\{([^{}]*)\}/g, (all, expression?: string) =>
      expression === undefined ? all.charAt(0) : `\${${expression.replace(/[:!][^:]*$/, "").trim()}}`,
    );
  }
  return prefix.startsWith("r") || prefix.endsWith("r") ? inside.replaceAll("\\", String.raw`\\`) : inside;
}

function instead(prefix: string): string {
  if (prefix.includes("f") || prefix === "s") return '`"${value}"`';
  return prefix.startsWith("r") || prefix.endsWith("r") ? 'with each backslash twice, `"\\\\d"`' : '`"…"`';
}
