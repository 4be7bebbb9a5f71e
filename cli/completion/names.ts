/** The names that a file declares or imports, for completion: read without being checked. */
import { readFileSync } from "node:fs";
import { registry } from "../../compiler/kinds/index.ts";
import { settable } from "../../dsl/eval/settable.ts";
import { load } from "../../dsl/symbols/load.ts";
import type { Symbol } from "../../dsl/symbols/symbol.ts";
import type { Candidate, Names } from "./candidates.ts";

export function namesOf(path: string): Names | null {
  const text = readText(path);
  if (text === undefined) return null;
  const loaded = load({ path, text }, readText, registry.std, []);
  const symbols = [...loaded.root.names].map(([name, symbol]) => ({ name, symbol }));
  const some = (wanted: (symbol: Symbol) => boolean): readonly Candidate[] =>
    symbols.filter(({ symbol }) => wanted(symbol)).map(({ name, symbol }) => ({ word: name, hint: hintOf(symbol) }));
  const ofKind = (kind: string) => some((symbol) => kindOf(symbol) === kind);
  return {
    steps: some((symbol) => {
      const kind = kindOf(symbol);
      return kind !== null && symbol.kind === "block" && !symbol.node.abstract && registry.kinds[kind]?.step === true;
    }),
    presets: ofKind("preset"),
    overlays: ofKind("overlay"),
    launches: ofKind("launch"),
    params: [...settable(loaded)].flatMap(([word, [param, ...others]]) =>
      others.length > 0 ? [] : [{ word, hint: hintOf(param) }],
    ),
  };
}

const kindOf = (symbol: Symbol): string | null => (symbol.kind === "block" ? symbol.node.head[0].text : null);

function hintOf(symbol: Symbol): string {
  const doc = symbol.kind === "namespace" ? null : symbol.node.doc;
  return (doc ?? kindOf(symbol) ?? symbol.kind).split("\n")[0] ?? "";
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
