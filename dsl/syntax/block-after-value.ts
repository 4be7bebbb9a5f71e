/** `y = a { … }`: what was meant by a block behind a value, by what the file makes of its name elsewhere. */
import { blockAfterValue } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { endOf, type Token } from "../lexer/token.ts";
import { Identifier, Let } from "../lexer/vocabulary.ts";
import type { Source, Span } from "../source/source.ts";

/** `line` is what stands before the value: a word, a name, `=`. */
export function blockBehind(
  source: Source,
  value: Token,
  brackets: { readonly open: Token; readonly close: Token | undefined },
  [word, name]: readonly [Token, Token],
): Diagnostic {
  const { open, close } = brackets;
  const spanOf = (token: Token): Span => ({ source, start: token.startOffset, end: endOf(token) });
  const { image } = value;
  if (word.image === "param" && /^enum$/i.test(image) && close !== undefined) {
    const type = name.image.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
    const words = source.text.slice(open.startOffset, endOf(close));
    const newText = `enum ${type} ${words}\n${source.text.slice(word.startOffset, value.startOffset)}${type}`;
    const span = { source, start: word.startOffset, end: endOf(close) };
    const instead = `declare the words as an enum, \`enum ${type} ${words}\`, and write \`param ${name.image}: ${type}\``;
    const fixes = [{ title: `declare \`enum ${type}\``, edits: [{ span, newText }] }];
    return blockAfterValue(spanOf(open), { value: image, instead }, { fixes });
  }
  const saysOf = (pattern: string): boolean => new RegExp(`^[ \\t]*${pattern}`, "m").test(source.text);
  if (saysOf(`(?:\\w+[ \\t]+${image}\\b|import\\b[^\\r\\n]*\\b${image}\\b)`)) {
    const at = { source, start: endOf(value), end: endOf(value) };
    const instead = `a changed copy of \`${image}\` is \`${image} with { … }\``;
    const fixes = [{ title: "write `with`", edits: [{ span: at, newText: " with" }] }];
    return blockAfterValue(spanOf(open), { value: image, instead }, { fixes });
  }
  const isKind = saysOf(`(?:abstract[ \\t]+)?${image}[ \\t]+\\w+[^=(\\r\\n]*\\{`);
  if (isKind && word.tokenType === Let && name.tokenType === Identifier) {
    const declared = `${image} ${name.image}`;
    const span = { source, start: word.startOffset, end: endOf(value) };
    const instead = `a block is declared by its kind and name: \`${declared} { … }\``;
    const fixes = [{ title: `write \`${declared}\``, edits: [{ span, newText: declared }] }];
    return blockAfterValue(spanOf(open), { value: image, instead }, { fixes });
  }
  const edits = [
    { span: { source, start: endOf(value), end: endOf(open) }, newText: "(" },
    ...(close === undefined ? [] : [{ span: spanOf(close), newText: ")" }]),
  ];
  return blockAfterValue(spanOf(open), { value: image }, { fixes: [{ title: "write `( )`", edits }] });
}
