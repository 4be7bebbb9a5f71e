/** One completion, with its type and documentation out of its meaning. */
import { type CompletionItem, CompletionItemKind as Kind, InsertTextFormat, MarkupKind } from "vscode-languageserver";
import type { Property, Registry } from "../../kind.ts";
import type { Module, Symbol } from "../../symbols/symbol.ts";
import { describe } from "../describe.ts";
import type { Meaning } from "../meaning/meaning.ts";

export interface Around {
  readonly module: Module;
  readonly registry: Registry;
  readonly snippets: boolean;
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

/** Required properties of a kind, each with a place to fill in. */
export function skeleton(properties: Readonly<Record<string, Property>>): string {
  const required = Object.entries(properties).filter(([, property]) => property.required === true);
  return required.map(([name], index) => `${name} = \${${index + 2}}`).join("\n\t");
}

/** A value is asked for next. */
export const again = { title: "suggest", command: "editor.action.triggerSuggest" };

/** Declared here or imported, templates among them. */
export const declared = (kinds: readonly string[], { module }: Around): Symbol[] =>
  [...module.names.values()].filter((s) => s.kind === "block" && kinds.includes(s.node.head[0].text));

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

export function symbolItem(symbol: Symbol, rank: Rank, around: Around): CompletionItem {
  const meaning: Meaning = { kind: "symbol", symbol };
  const label = namesIn(around.module).get(symbol) ?? symbol.name.text;
  const insert = symbol.kind === "fn" ? { snippet: `${label}($0)`, plain: `${label}(` } : {};
  return { ...item(label, symbolKinds[symbol.kind], rank, meaning, around, insert), detail: describe(meaning).title };
}
