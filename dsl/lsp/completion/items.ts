/** What may stand at a position, each with its type and documentation. All of it comes from descriptors and declarations. */
import { type CompletionItem, CompletionItemKind as Kind, InsertTextFormat, MarkupKind } from "vscode-languageserver";
import { builtins } from "../../eval/builtins.ts";
import { namedTypes } from "../../eval/type-expression.ts";
import type { BlockKind, Constructor, Property, Registry, Type } from "../../kind.ts";
import type { Module, Symbol } from "../../symbols/symbol.ts";
import { statementWords } from "../../syntax/words.ts";
import { alternatives } from "../../types/type.ts";
import { describeDimension, sameDimension, scales, units, unitsOf } from "../../types/units.ts";
import { describe } from "../describe.ts";
import { choicesOf, isVariant, kindOf, memberOf } from "../meaning/kinds.ts";
import type { Meaning } from "../meaning/meaning.ts";
import { pascal } from "../meaning/occurrences.ts";

export interface Around {
  readonly module: Module;
  readonly registry: Registry;
  readonly snippets: boolean;
}

/** In order of how likely they are meant. */
type Rank = 1 | 2 | 3 | 4 | 5;

/** A completion; `snippet` is what is inserted where the client takes snippets, `plain` where it does not. */
function item(
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

const braces = (inside: string): string => `{\n\t${inside === "" ? "$0" : inside}\n}`;

/** Required properties of a kind, each with a place to fill in. */
function skeleton(properties: Readonly<Record<string, Property>>): string {
  const required = Object.entries(properties).filter(([, property]) => property.required === true);
  return required.map(([name], index) => `${name} = \${${index + 2}}`).join("\n\t");
}

export function fileMembers(around: Around): CompletionItem[] {
  const { registry, module } = around;
  return [
    ...Object.values(registry.kinds).map((block) =>
      item(block.name, Kind.Class, 2, { kind: "block_kind", block }, around, {
        snippet: `${block.name} \${1:name} ${braces(skeleton(block.properties))}`,
        plain: `${block.name} `,
      }),
    ),
    ...[...statementWords.keys()].map((word) =>
      item(word, Kind.Keyword, 3, null, around, {
        ...(words[word] === undefined ? {} : { snippet: words[word] }),
        plain: `${word} `,
      }),
    ),
    ...[...module.names.values()]
      .filter((symbol) => symbol.kind === "block" && symbol.module === module)
      .map((symbol) => symbolItem(symbol, 4, around)),
  ];
}

const words: Readonly<Record<string, string>> = {
  import: 'import "$1" { $0 }',
  param: "param ${1:name}: ${2:Int} = $0",
  secret: 'secret ${1:name} = env("$0")',
  let: "let ${1:name} = $0",
  fn: "fn ${1:name}($2) = $0",
  enum: "enum ${1:Name} { $0 }",
  test: 'test "$1" {\n\tassert $0\n}',
};

export function blockMembers(of: BlockKind, written: ReadonlySet<string>, around: Around): CompletionItem[] {
  const { registry, module } = around;
  const own = Object.entries(of.properties)
    .filter(([name]) => !written.has(name))
    .map(([name, property]) => ({
      ...item(
        name,
        Kind.Property,
        property.required === true ? 1 : 2,
        { kind: "property", of, name, property },
        around,
        {
          snippet: `${name} = $0`,
          plain: `${name} = `,
        },
      ),
      command: again,
    }));
  const groups = Object.entries(of.blocks ?? {})
    .filter(([name]) => !written.has(name))
    .map(([name, block]) =>
      item(name, Kind.Module, 2, { kind: "group", block }, around, { snippet: `${name} { $0 }`, plain: `${name} ` }),
    );
  const nested = Object.entries(of.nested ?? {}).map(([name, block]) =>
    item(name, Kind.Class, 3, { kind: "block_kind", block }, around, {
      snippet: `${name} \${1:name} ${braces(skeleton(block.properties))}`,
      plain: `${name} `,
    }),
  );
  const others = isVariant(of)
    ? [
        ...[...module.names.values()].filter((s) => s.kind === "block").map((s) => symbolItem(s, 2, around)),
        ...Object.values(registry.kinds).map((block) =>
          item(block.name, Kind.Class, 3, { kind: "block_kind", block }, around),
        ),
      ]
    : [];
  const judged = ["assert", "expect"].map((word) => item(word, Kind.Keyword, 5, null, around, { plain: `${word} ` }));
  return [...own, ...groups, ...nested, ...others, ...judged];
}

/** A value is asked for next. */
const again = { title: "suggest", command: "editor.action.triggerSuggest" };

/** What a value of a type may be, and whatever has a name here. */
export function values(
  type: Type | null,
  property: Property | null,
  around: Around,
  blocks: readonly BlockKind[],
): CompletionItem[] {
  const expected = alternatives(type).flatMap((t) => ofType(t, around));
  const fallback =
    property?.default === undefined || expected.some(({ label }) => label === property.default)
      ? []
      : [{ ...item(property.default, Kind.Value, 2, null, around), detail: "default" }];
  const named = [...around.module.names.values()]
    .filter((symbol) => symbol.kind !== "block" || type === null)
    .map((symbol) => symbolItem(symbol, 3, around));
  const around_ = blocks.map((block) => item(block.name, Kind.Class, 4, { kind: "block_kind", block }, around));
  const functions = [...builtins].map(([name, builtin]) =>
    item(name, Kind.Function, 5, { kind: "builtin", name, builtin }, around, {
      snippet: `${name}($0)`,
      plain: `${name}(`,
    }),
  );
  const logic =
    type === null || type.kind === "any"
      ? ["true", "false", "none", "if", "match"].map((word) => item(word, Kind.Keyword, 5, null, around))
      : [];
  return unique([...expected, ...fallback, ...named, ...around_, ...functions, ...logic]);
}

function ofType(type: Type, around: Around): CompletionItem[] {
  switch (type.kind) {
    case "bool":
      return ["true", "false"].map((word) => item(word, Kind.Keyword, 1, null, around));
    case "none":
    case "auto":
      return [item(type.kind, Kind.Keyword, 2, null, around)];
    case "enum":
      return type.values.map((name) => item(name, Kind.EnumMember, 1, { kind: "enum_member", type, name }, around));
    case "choice":
      return Object.entries(type.constructors).map(([name, constructor]) =>
        constructorItem(type.name, name, constructor, around),
      );
    case "list":
      return alternatives(type.element).flatMap((t) => ofType(t, around));
    case "block":
      return declared(type.kinds, around).map((symbol) => symbolItem(symbol, 1, around));
    case "handle":
      return declared(type.kinds, around).flatMap((symbol) =>
        type.which.map((which) => ({
          ...symbolItem(symbol, 1, around),
          label: `${symbol.name.text}.${which}`,
          detail: `what ${symbol.name.text} makes`,
        })),
      );
    case "secret":
      return [...around.module.names.values()]
        .filter((symbol) => symbol.kind === "secret")
        .map((symbol) => symbolItem(symbol, 1, around));
    case "formula":
      return type.names === undefined || typeof type.names === "function"
        ? []
        : Object.entries(type.names).map(([name, is]) =>
            item(name, Kind.Variable, 1, { kind: "formula_name", name, is }, around),
          );
    default:
      return [];
  }
}

function constructorItem(choice: string, name: string, constructor: Constructor, around: Around): CompletionItem {
  const required = Object.entries(constructor.parameters).filter(([, p]) => p.required === true);
  const positional = new Set(constructor.positional);
  const parts = required.map(([parameter], index) => {
    const place = `\${${index + 1}}`;
    return positional.has(parameter) ? place : `${parameter} = ${place}`;
  });
  const takesAny = Object.keys(constructor.parameters).length > 0;
  return item(name, Kind.Constructor, 1, { kind: "constructor", choice, name, constructor }, around, {
    ...(takesAny ? { snippet: `${name}(${parts.length > 0 ? parts.join(", ") : "$0"})` } : {}),
    plain: required.length > 0 ? `${name}(` : name,
  });
}

export function parameters(
  of: string,
  constructor: Constructor,
  given: ReadonlySet<string>,
  around: Around,
): CompletionItem[] {
  return Object.entries(constructor.parameters)
    .filter(([name]) => !given.has(name))
    .map(([name, property]) => ({
      ...item(
        name,
        Kind.Field,
        property.required === true ? 1 : 2,
        { kind: "parameter", of, name, property },
        around,
        {
          snippet: `${name} = $0`,
          plain: `${name} = `,
        },
      ),
      command: again,
    }));
}

/** What stands behind the dot of a path. */
export function behindDot(path: readonly string[], blocks: readonly BlockKind[], around: Around): CompletionItem[] {
  const [first = "", ...rest] = path;
  const { module, registry } = around;
  if (first === "host") return ["gpus", "cores", "memory"].map((name) => item(name, Kind.Field, 1, null, around));
  let symbol = module.names.get(first);
  let names = rest;
  if (symbol?.kind === "namespace") {
    const { of } = symbol;
    if (rest.length === 0)
      return [...of.names.values()].filter((s) => s.module === of).map((s) => symbolItem(s, 1, around));
    symbol = of.names.get(rest[0] ?? "");
    names = rest.slice(1);
  }
  let kind: BlockKind | null =
    symbol === undefined ? (blocks.find((block) => block.name === first) ?? null) : kindOf(symbol, registry);
  let type: Type | null = null;
  if (symbol?.kind === "let" && symbol.node.value.kind === "record" && names.length === 0)
    return symbol.node.value.members.flatMap((member) =>
      member.kind === "assign" ? [item(member.target[0].text, Kind.Field, 1, null, around)] : [],
    );
  for (const name of names) {
    const meaning: Meaning | null = kind === null ? null : memberOf(kind, name);
    kind = meaning?.kind === "group" ? meaning.block : null;
    type = meaning?.kind === "property" ? meaning.property.type : null;
    const referred = alternatives(type).find((t) => t.kind === "block");
    if (referred?.kind === "block") kind = registry.kinds[referred.kinds[0] ?? ""] ?? null;
  }
  if (kind !== null) return readable(kind, around);
  const fields = new Map(
    choicesOf(type).flatMap((choice) =>
      Object.entries(choice.constructors).flatMap(([of, { parameters: all }]) =>
        Object.entries(all).map(([name, property]) => [name, { of, property }] as const),
      ),
    ),
  );
  const readings = alternatives(type).flatMap((t) => (t.kind === "number" ? t.dimensions.flatMap(unitsOf) : []));
  return [
    ...[...fields].map(([name, parameter]) =>
      item(name, Kind.Field, 1, { kind: "parameter", name, ...parameter }, around),
    ),
    ...readings.map((name) => item(name, Kind.Unit, 2, { kind: "unit", name }, around)),
  ];
}

/** All that one can ask a block for. */
function readable(kind: BlockKind, around: Around): CompletionItem[] {
  const names = [
    ...Object.keys(kind.properties),
    ...Object.keys(kind.blocks ?? {}),
    ...Object.keys(kind.derived ?? {}),
    ...(kind.handles ?? []),
  ];
  return [...new Set(names)].map((name) => {
    const meaning = memberOf(kind, name);
    const isDerived = meaning?.kind === "derived" || meaning?.kind === "handle";
    return item(name, isDerived ? Kind.Field : Kind.Property, isDerived ? 1 : 2, meaning, around);
  });
}

/** Units of the dimensions that a type takes, else all. */
export function unitItems(type: Type | null, touches: boolean, around: Around): CompletionItem[] {
  const wanted = alternatives(type).flatMap((t) => (t.kind === "number" ? t.dimensions : []));
  const takesShare = alternatives(type).some((t) => t.kind === "number" && t.percent !== undefined);
  const names = [...units.keys()].filter(
    (name) =>
      name !== "%" && (wanted.length === 0 || wanted.some((d) => sameDimension(units.get(name)?.dimension ?? {}, d))),
  );
  const compound = wanted.filter((d) => Object.keys(d).length > 1).map(describeDimension);
  return [
    ...names.map((name) =>
      item(name, Kind.Unit, plural(name) ? 1 : 2, { kind: "unit", name }, around, {
        plain: touches ? ` ${name}` : name,
      }),
    ),
    ...compound.map((name) => item(name, Kind.Unit, 1, null, around, { plain: touches ? ` ${name}` : name })),
    ...(touches && takesShare ? [item("%", Kind.Unit, 1, { kind: "unit", name: "%" }, around)] : []),
    ...(touches
      ? Object.entries(scales).map(([name, factor]) => ({
          ...item(name, Kind.Unit, 3, null, around),
          detail: factor.toLocaleString("en"),
        }))
      : []),
  ];
}

const plural = (name: string): boolean => name.endsWith("s") || !units.has(`${name}s`);

export function types(around: Around): CompletionItem[] {
  return [
    ...Object.entries(namedTypes).map(([name, type]) =>
      item(name, Kind.TypeParameter, 1, { kind: "type", name, type }, around),
    ),
    ...[...around.module.names.values()].filter((s) => s.kind === "enum").map((s) => symbolItem(s, 1, around)),
    ...Object.values(around.registry.kinds).map((block) =>
      item(pascal(block.name), Kind.Class, 2, { kind: "block_kind", block }, around),
    ),
  ];
}

export function blocksOf(kinds: readonly string[] | "step", around: Around): CompletionItem[] {
  const { registry } = around;
  const wanted =
    kinds === "step"
      ? Object.values(registry.kinds)
          .filter((k) => k.step === true)
          .map((k) => k.name)
      : kinds;
  return declared(wanted, around).map((symbol) => symbolItem(symbol, 1, around));
}

export function headerWords(of: BlockKind, has: ReadonlySet<string>, around: Around): CompletionItem[] {
  return ["extends", ...(of.clauses ?? [])]
    .filter((word) => !has.has(word))
    .map((word) => item(word, Kind.Keyword, 1, null, around, { plain: `${word} ` }));
}

/** Declared here or imported, templates among them. */
const declared = (kinds: readonly string[], { module }: Around): Symbol[] =>
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

export function symbolItem(symbol: Symbol, rank: Rank, around: Around): CompletionItem {
  const meaning: Meaning = { kind: "symbol", symbol };
  const label = [...around.module.names].find(([, s]) => s === symbol)?.[0] ?? symbol.name.text;
  const insert = symbol.kind === "fn" ? { snippet: `${label}($0)`, plain: `${label}(` } : {};
  return { ...item(label, symbolKinds[symbol.kind], rank, meaning, around, insert), detail: describe(meaning).title };
}

const unique = (items: readonly CompletionItem[]): CompletionItem[] => [
  ...new Map(items.toReversed().map((one) => [one.label, one])).values(),
];
