/** A text where a block has to stand whose kind anybody may declare: `gpu = "H100"`. */
import { unknownName } from "../../diagnostics/catalog/names.ts";
import { wordQuoted } from "../../diagnostics/catalog/values.ts";
import { replacement } from "../../diagnostics/suggest.ts";
import type { Type } from "../../kind.ts";
import { inTable } from "../../in-table.ts";
import type { Expression } from "../../syntax/ast.ts";
import { meanings } from "../../types/type.ts";
import type { Context } from "../context.ts";
import { ownBlock } from "../own-block.ts";
import type { Scope } from "../scope.ts";

/** Whether it was reported, as that name without quotes would be. */
export function isQuotedBlock(
  { span }: Extract<Expression, { readonly kind: "string" }>,
  text: string,
  { module: { file, names } }: Scope,
  expected: Type | null,
  what: string,
  { registry, report }: Context,
): boolean {
  const types = meanings(expected);
  const kinds = types.flatMap((type) => (type.kind === "block" ? type.kinds : []));
  const isBlock = types.every(({ kind }) => kind === "block" || kind === "none" || kind === "auto");
  const isOwn = kinds.some((kind) => inTable(registry.kinds, kind)?.own !== undefined);
  if (!isBlock || !isOwn || span.source.text.slice(span.start, span.end) !== `"${text}"`) return false;
  if (names.get(text)?.kind === "block") {
    report(wordQuoted(span, { what, word: text }, { fixes: [replacement(span, text)] }));
    return true;
  }
  const name = text.toLowerCase().replaceAll(/\W+/g, "_");
  report(
    unknownName(
      span,
      { name: text },
      ownBlock({ kind: "name", text: name, quoted: true, span }, kinds, file, registry),
    ),
  );
  return true;
}
