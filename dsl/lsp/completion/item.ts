/** One completion, with its type and documentation out of its meaning. */
import { type CompletionItem, CompletionItemKind as Kind, InsertTextFormat, MarkupKind } from "vscode-languageserver";
import { inTable } from "../../in-table.ts";
import type { BlockKind, Registry } from "../../kind.ts";
import type { Module, Symbol } from "../../symbols/symbol.ts";
import { describe } from "../describe.ts";
import type { Meaning } from "../meaning/meaning.ts";
import { dependents } from "./dependents.ts";

export interface Around {
  readonly module: Module;
  readonly registry: Registry;
  readonly snippets: boolean;
  /** The block that the cursor is in. */
  readonly owner: string | null;
}

/** In order of how likely they are meant. */
type Rank = 1 | 2 | 3 | 4 | 5;

/** A completion; `snippet` is what is inserted where the client takes snippets, `plain` where it does not. */
export function item(
  label: string,
  kind: Kind,
  rank: Rank,
  meaning: Meaning | null,
  around: Around,
  insert: { readonly snippet?: string; readonly plain?: string } = {},
): CompletionItem {
  const said = meaning === null ? null : describe(meaning);
  const text = around.snippets ? (insert.snippet ?? insert.plain) : insert.plain;
  return {
    label,
    kind,
    sortText: `${rank}${label}`,
    ...(said?.type === null || said === null ? {} : { detail: said.type }),
    ...(said?.doc === null || said === null ? {} : { documentation: { kind: MarkupKind.Markdown, value: said.doc } }),
    ...(text === undefined ? {} : { insertText: text }),
    ...(text !== undefined && around.snippets && insert.snippet !== undefined
      ? { insertTextFormat: InsertTextFormat.Snippet }
      : {}),
  };
}

export const braces = (inside: string): string => `{\n\t${inside === "" ? "$0" : inside}\n}`;

/** What a block of a kind begins with, each with a place to fill in. */
export function skeleton({ properties, blocks, begins = [] }: BlockKind): string {
  const required = Object.entries(properties).filter(([, property]) => property.required === true);
  return [...required.map(([name]) => name), ...begins]
    .map((name, index) => {
      const place = `\${${index + 2}}`;
      return inTable(blocks, name) === undefined ? `${name} = ${place}` : `${name} { ${place} }`;
    })
    .join("\n\t");
}

/** A value is asked for next. */
export const again = { title: "suggest", command: "editor.action.triggerSuggest" };

/** Declared here or imported, templates among them. */
export const declared = (kinds: readonly string[], { module }: Around): Symbol[] =>
  [...module.names.values()].filter((s) => s.kind === "block" && kinds.includes(s.node.head[0].text));

/** Those that do not come from the block that the cursor is in. */
export function independent(kinds: readonly string[], around: Around): Symbol[] {
  const { owner, module, registry } = around;
  const coming = dependents(owner, module, registry);
  return declared(kinds, around).filter((symbol) => !coming.has(labelIn(module, symbol)));
}

const symbolKinds: Readonly<Record<Symbol["kind"], Kind>> = {
  block: Kind.Class,
  param: Kind.Variable,
  secret: Kind.Variable,
  let: Kind.Constant,
  fn: Kind.Function,
  enum: Kind.Enum,
  namespace: Kind.Module,
};

const labels = new WeakMap<Module, ReadonlyMap<Symbol, string>>();

/** What each symbol is called in a file: an import may give it another name. */
function namesIn(module: Module): ReadonlyMap<Symbol, string> {
  let found = labels.get(module);
  if (found === undefined) {
    // The first of several names.
    found = new Map([...module.names].toReversed().map(([name, symbol]) => [symbol, name]));
    labels.set(module, found);
  }
  return found;
}

/** As the file calls it. */
export const labelIn = (module: Module, symbol: Symbol): string => namesIn(module).get(symbol) ?? symbol.name.text;

export function symbolItem(symbol: Symbol, rank: Rank, around: Around): CompletionItem {
  const meaning: Meaning = { kind: "symbol", symbol };
  const label = labelIn(around.module, symbol);
  const insert = symbol.kind === "fn" ? { snippet: `${label}($0)`, plain: `${label}(` } : {};
  return { ...item(label, symbolKinds[symbol.kind], rank, meaning, around, insert), detail: describe(meaning).title };
}
