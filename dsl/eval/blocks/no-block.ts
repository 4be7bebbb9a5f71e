import { unknownName } from "../../diagnostics/catalog/names.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Symbol } from "../../symbols/symbol.ts";
import type { Name } from "../../syntax/ast.ts";
import { article } from "../../diagnostics/article.ts";

/** A header names a block, `on pod`, and `pod` is a `let`: what to declare in its place. */
export function noBlock(head: Name, symbol: Exclude<Symbol, { kind: "block" | "namespace" }>): Diagnostic {
  const value = symbol.kind === "let" ? symbol.node.value : null;
  const base = value?.kind === "with" && value.base.kind === "reference" ? value.base.name.text : "";
  const block = symbol.module.names.get(base);
  const declared =
    block?.kind === "block" ? `, \`${block.node.head[0].text} ${head.text} extends ${base} { … }\`` : "";
  const fix = `\`${head.text}\` is ${article(symbol.kind)}, but a header can only name blocks: declare it as one${declared}.`;
  return unknownName(head.span, { name: head.text, as: "block" }, { fix });
}
