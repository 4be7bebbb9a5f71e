import { headerWord } from "../../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { endOf, type Token } from "../../lexer/token.ts";
import { Identifier, LeftBrace, Newline } from "../../lexer/vocabulary.ts";
import type { Source, Span } from "../../source/source.ts";
import { clauseWords } from "../words.ts";
import { write } from "./write.ts";

/** `stage 1pre { … }`: what stands behind a kind and before the rest of its header is a name. */
export function nameOfDigits(
  source: Source,
  tokens: readonly Token[],
  index: number,
  kind: Token | undefined,
  before: Token | undefined,
): Diagnostic | null {
  const token = tokens[index];
  if (token === undefined || kind?.tokenType !== Identifier || !/[A-Za-z_]\w*$/.test(token.image)) return null;
  const beginsLine = before === undefined || before.tokenType === Newline || before.image === "abstract";
  const behind = tokens[index + 1];
  const isHeader = behind?.tokenType === LeftBrace || clauseWords.has(behind?.image ?? "");
  if (!beginsLine || !isHeader || !/^\w+$/.test(token.image)) return null;
  const span: Span = { source, start: token.startOffset, end: endOf(token) };
  const why = "a name begins with a letter or `_`";
  const fixes = [write(span, `_${token.image}`)];
  return headerWord(
    span,
    { block: `${kind.image} ${token.image}`, why },
    { fixes, fix: "Write a name that begins with a letter." },
  );
}
