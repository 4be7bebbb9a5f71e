/** What the standard library declares of some kinds, and the file has not imported: taking one imports it. */
import { type CompletionItem, CompletionItemKind as Kind } from "vscode-languageserver";
import { importsOf } from "../../symbols/import-of.ts";
import { rangeOf } from "../positions.ts";
import { type Around, item } from "./item.ts";

export function libraryItems(kinds: readonly string[], around: Around): CompletionItem[] {
  const { module, registry } = around;
  return [...importsOf(kinds, module.file, registry.std)]
    .filter(([name]) => !module.names.has(name))
    .map(([name, { title, edits }]) => ({
      ...item(name, Kind.Class, 3, null, around),
      detail: title,
      additionalTextEdits: edits.map(({ span, newText }) => ({ range: rangeOf(span), newText })),
    }));
}
