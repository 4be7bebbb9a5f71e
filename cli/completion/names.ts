/** The names that a file declares or imports, for completion: read without being checked. */
import { readFileSync } from "node:fs";
import { registry } from "../../compiler/kinds/index.ts";
import { settable } from "../../dsl/eval/variants/settable.ts";
import { load } from "../../dsl/symbols/load.ts";
import { inTable } from "../../dsl/in-table.ts";
import type { BlockKind, Property, Type } from "../../dsl/kind.ts";
import { propertyAt } from "../../dsl/lsp/completion/value-expected.ts";
import { wordSaid } from "../../dsl/lsp/completion/word-said.ts";
import { constructorOf } from "../../dsl/lsp/meaning/kinds.ts";
import { alternatives, literalTexts } from "../../dsl/types/type.ts";
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
  const isAmended = (symbol: Symbol): boolean =>
    isBlock(symbol) && kindIn(symbol) !== undefined && kindIn(symbol)?.variant !== true;
  const blocks = some(isAmended);
  const kinds = [...new Set(symbols.flatMap(({ symbol }) => (isAmended(symbol) ? (kindIn(symbol) ?? []) : [])))]
    .filter(({ name }) => !loaded.root.names.has(name))
    .map(({ name, doc }) => ({ word: name, hint: doc }));
  return {
    steps: some((symbol) => isBlock(symbol) && kindIn(symbol)?.step === true),
    presets: ofKind("preset"),
    overlays: ofKind("overlay"),
    launches: ofKind("launch"),
    sweeps: ofKind("sweep"),
    tests: loaded.root.file.statements.flatMap((s) =>
      s.kind === "test" ? [{ word: s.title.parts.join(""), hint: "test" }] : [],
    ),
    blocks: [...blocks, ...kinds],
    leaves: (name) => {
      const symbol = loaded.root.names.get(name);
      const kind = symbol === undefined ? inTable(registry.kinds, name) : kindIn(symbol);
      return kind === undefined ? [] : leavesOf(kind, symbol);
    },
    values: (path) => {
      const { type, property } = propertyAt(path.split("."), { block: null }, loaded.root, registry);
      return alternatives(type).flatMap((each) => wordsOf(each, property?.doc ?? ""));
    },
    params: [...settable(loaded)].flatMap(([word, [param, ...others]]) =>
      others.length > 0 ? [] : [{ word, hint: hintOf(param) }],
    ),
  };
}

/** What a block says, what its groups say, and the arguments of the words that it has chosen. */
function leavesOf(
  { properties, blocks = {} }: BlockKind,
  symbol: Symbol | undefined,
  path: readonly string[] = [],
): readonly Candidate[] {
  return [
    ...Object.entries(properties).flatMap(([word, property]) => [
      { word, hint: property.doc },
      ...argumentsOf(property, wordSaid(symbol, [...path, word])).map(([name, { doc }]) => ({
        word: `${word}.${name}`,
        hint: doc,
      })),
    ]),
    ...Object.entries(blocks).flatMap(([group, kind]) =>
      leavesOf(kind, symbol, [...path, group]).map(({ word, hint }) => ({ word: `${group}.${word}`, hint })),
    ),
  ];
}

/** Of the word that is said, or else of the one that stands for it. */
function argumentsOf({ type, default: usual }: Property, said: string | null): readonly [string, Property][] {
  const constructor = constructorOf(type, said ?? usual ?? "")?.constructor;
  return Object.entries(constructor?.parameters ?? {});
}

/** The words that a type takes. */
function wordsOf(type: Type, hint: string): readonly Candidate[] {
  switch (type.kind) {
    case "bool":
      return ["true", "false"].map((word) => ({ word, hint }));
    case "none":
    case "auto":
      return [{ word: type.kind, hint }];
    case "enum":
      return type.name === literalTexts ? [] : type.values.map((word) => ({ word, hint }));
    case "choice":
      return Object.entries(type.constructors).map(([word, { doc }]) => ({ word, hint: doc }));
    default:
      return [];
  }
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
