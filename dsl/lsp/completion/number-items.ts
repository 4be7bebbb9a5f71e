/** Figures that a type takes: each of a few, or a place for one before each unit. */
import { type CompletionItem, CompletionItemKind as Kind, InsertTextFormat } from "vscode-languageserver";
import type { Type } from "../../kind.ts";
import { isDimensionless, unitsOf } from "../../types/units.ts";
import { type Around, item } from "./item.ts";

/** More are no choice. */
const few = 8;

export function numberItems(type: Extract<Type, { kind: "number" }>, around: Around): CompletionItem[] {
  const { dimensions, integer, min, max, percent, usual } = type;
  if (integer === true && min !== undefined && max !== undefined && max - min < few)
    return Array.from({ length: max - min + 1 }, (_, index) =>
      item(String(min + index), Kind.Value, 1, null, around),
    );
  const counted = dimensions.filter((dimension) => !isDimensionless(dimension));
  const units = counted.flatMap((dimension) => unitsOf(dimension).slice(0, 1));
  const words = counted.length === 1 && usual !== undefined ? [usual] : units;
  const shares = percent === undefined ? [] : [amount("…%", "$1%", around)];
  return [...words.map((unit) => amount(`… ${unit}`, `$1 ${unit}`, around)), ...shares];
}

/** Without snippets there is no place for the figure. */
const amount = (label: string, snippet: string, around: Around): CompletionItem => ({
  ...item(label, Kind.Unit, 1, null, around),
  detail: "an amount",
  insertText: around.snippets ? snippet : "",
  ...(around.snippets ? { insertTextFormat: InsertTextFormat.Snippet } : {}),
});
