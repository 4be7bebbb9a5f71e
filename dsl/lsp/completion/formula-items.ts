import { type CompletionItem, CompletionItemKind as Kind } from "vscode-languageserver";
import type { Type } from "../../kind.ts";
import type { Meaning } from "../meaning/meaning.ts";
import { type Around, item } from "./item.ts";

type Formula = Extract<Type, { kind: "formula" }>;

/** What a formula may speak of, by the rest of its name behind what is written: `val.`. */
export function formulaItems({ names }: Formula, behind: string, around: Around): CompletionItem[] {
  const all = typeof names === "function" ? names(null) : (names ?? {});
  const point =
    all[behind.slice(0, -1)]?.at === undefined ? [] : [item("at", Kind.Method, 1, null, around, call("at"))];
  const own = Object.entries(all)
    .filter(([name]) => name.startsWith(behind) && name !== `${behind}*`)
    .map(([name, is]) =>
      // Of `row.*` nobody knows what follows.
      formulaItem(name.slice(behind.length).replace("*", ""), { kind: "formula_name", name, is }, around),
    );
  return [...point, ...own];
}

const call = (name: string) => ({ snippet: `${name}($0)`, plain: `${name}(` });

const formulaItem = (label: string, meaning: Extract<Meaning, { kind: "formula_name" }>, around: Around) =>
  item(label, Kind.Variable, 1, meaning, around, meaning.is.parameters === undefined ? {} : call(label));
