/** The names that a file declares or imports, for completion: read without being checked. */
import { readFileSync } from "node:fs";
import { registry } from "../../compiler/kinds/index.ts";
import { settable } from "../../dsl/eval/variants/settable.ts";
import { load } from "../../dsl/symbols/load.ts";
import type { BlockKind } from "../../dsl/kind.ts";
import type { BlockSymbol, Symbol } from "../../dsl/symbols/symbol.ts";
import type { Candidate, Names } from "./candidates.ts";

export function namesOf(path: string): Names | null {
  const text = readText(path);
  if (text === undefined) return null;
  const loaded = load({ path, text }, readText, registry.std, []);
  const symbols = [...loaded.root.names].map(([name, symbol]) => ({ name, symbol }));
  const some = (wanted: (symbol: Symbol) => boolean): readonly Candidate[] =>
    symbols.filter(({ symbol }) => wanted(symbol)).map(({ name, symbol }) => ({ word: name, hint: hintOf(symbol) }));
  const ofKind = (kind: string) => some((symbol) => kindOf(symbol) === kind);
  const isBlock = (symbol: Symbol): symbol is BlockSymbol => symbol.kind === "block" && !symbol.node.abstract;
  const kindIn = (symbol: Symbol): BlockKind | undefined => registry.kinds[kindOf(symbol) ?? ""];
  return {
    steps: some((symbol) => isBlock(symbol) && kindIn(symbol)?.step === true),
    presets: ofKind("preset"),
    overlays: ofKind("overlay"),
    launches: ofKind("launch"),
    sweeps: ofKind("sweep"),
    tests: loaded.root.file.statements.flatMap((s) =>
      s.kind === "test" ? [{ word: s.title.parts.join(""), hint: "test" }] : [],
    ),
    blocks: some((symbol) => isBlock(symbol) && kindIn(symbol) !== undefined && kindIn(symbol)?.variant !== true),
    leaves: (name) => {
      const symbol = loaded.root.names.get(name);
      const kind = symbol === undefined ? undefined : kindIn(symbol);
      return kind === undefined ? [] : leavesOf(kind);
    },
    params: [...settable(loaded)].flatMap(([word, [param, ...others]]) =>
      others.length > 0 ? [] : [{ word, hint: hintOf(param) }],
    ),
  };
}

/** What a block says, and what its groups say. */
function leavesOf({ properties, blocks = {} }: BlockKind): readonly Candidate[] {
  return [
    ...Object.entries(properties).map(([word, { doc }]) => ({ word, hint: doc })),
    ...Object.entries(blocks).flatMap(([group, kind]) =>
      leavesOf(kind).map(({ word, hint }) => ({ word: `${group}.${word}`, hint })),
    ),
  ];
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
