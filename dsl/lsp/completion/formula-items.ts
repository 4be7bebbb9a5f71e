import { type CompletionItem, CompletionItemKind as Kind } from "vscode-languageserver";
import type { Type } from "../../kind.ts";
import { type Around, item } from "./item.ts";

type Formula = Extract<Type, { kind: "formula" }>;

/** What a formula may speak of, by the rest of its name behind what is written: `val.`. */
export function formulaItems({ names }: Formula, behind: string, around: Around): CompletionItem[] {
  const all = typeof names === "function" ? names(null) : (names ?? {});
  return Object.entries(all)
    .filter(([name]) => name.startsWith(behind) && name !== `${behind}*`)
    .map(([name, is]) =>
      // Of `row.*` nobody knows what follows.
      item(name.slice(behind.length).replace("*", ""), Kind.Variable, 1, { kind: "formula_name", name, is }, around),
    );
}
