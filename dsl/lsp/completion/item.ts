/** One completion, with its type and documentation out of its meaning. */
import { type CompletionItem, CompletionItemKind as Kind, InsertTextFormat, MarkupKind } from "vscode-languageserver";
import { inTable } from "../../in-table.ts";
import type { BlockKind, Registry } from "../../kind.ts";
import type { Module, Symbol } from "../../symbols/symbol.ts";
import { describe } from "../describe.ts";
import { keywordDoc, valueDoc } from "../keywords.ts";
import type { Meaning } from "../meaning/meaning.ts";
import { unitDoc } from "../unit-doc.ts";
import { dependents } from "./dependents.ts";
import type { Local } from "./locals.ts";

export interface Around {
  readonly module: Module;
  readonly registry: Registry;
  readonly snippets: boolean;
  /** The block that the cursor is in. */
  readonly owner: string | null;
  /** What the statement that the cursor is in declares: no value of its own. */
  readonly self: string | null;
  /** What only the expression around the cursor knows. */
  readonly locals: readonly Local[];
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
  const { detail, doc } = meaning === null ? wordSaid(label, kind) : said(meaning);
  const text = around.snippets ? (insert.snippet ?? insert.plain) : insert.plain;
  return {
    label,
    kind,
    sortText: `${rank}${label}`,
    ...(detail === null ? {} : { detail }),
    ...(doc === null ? {} : { documentation: markdown(doc) }),
    ...(text === undefined ? {} : { insertText: text }),
    ...(text !== undefined && around.snippets && insert.snippet !== undefined
      ? { insertTextFormat: InsertTextFormat.Snippet }
      : {}),
  };
}

export const markdown = (value: string) => ({ kind: MarkupKind.Markdown, value });

interface Said {
  readonly detail: string | null;
  readonly doc: string | null;
}

/** Of a word of the language that means the same everywhere. */
function wordSaid(word: string, kind: Kind): Said {
  if (kind !== Kind.Keyword && kind !== Kind.Method) return { detail: null, doc: null };
  const value = valueDoc(word);
  return value === null
    ? { detail: "word of the language", doc: keywordDoc(word) }
    : { detail: "a value", doc: value };
}

/** A list beside the words has little room for lists of words. */
const longest = 60;

function said(meaning: Meaning): Said {
  const { title, type, doc } = describe(meaning);
  switch (meaning.kind) {
    case "enum_member":
      return { detail: type !== null && type.length > longest ? meaning.type.name : type, doc };
    case "builtin":
      return { detail: title, doc };
    case "block_kind":
      return { detail: "kind of block", doc };
    case "group":
      return { detail: "group of settings", doc };
    case "phase":
      return { detail: title, doc };
    case "unit":
      return { detail: type, doc: doc ?? unitDoc(meaning.name) };
    default:
      return { detail: type, doc };
  }
}

export const braces = (inside: string): string => `{\n\t${inside === "" ? "$0" : inside}\n}`;

/** What a block of a kind begins with, in the order in which it is usually said, each with a place to fill in: the last is where one goes on. */
export function skeleton({ properties, blocks, begins = [] }: BlockKind): string {
  const own = Object.entries(properties).flatMap(([name, { required }]) =>
    required === true || begins.includes(name) ? [name] : [],
  );
  const names = [...own, ...begins.filter((name) => inTable(blocks, name) !== undefined)];
  const width = Math.max(0, ...own.map(({ length }) => length));
  return names
    .map((name, index) => {
      const place = index === names.length - 1 ? "$0" : `\${${index + 2}}`;
      return own.includes(name) ? `${name.padEnd(width)} = ${place}` : `${name} { ${place} }`;
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
