/** What may stand as a value, as an argument and as a unit. */
import { type CompletionItem, CompletionItemKind as Kind } from "vscode-languageserver";
import { builtins } from "../../eval/expressions/builtins.ts";
import type { BlockKind, Constructor, Property, Type } from "../../kind.ts";
import { alternatives, literalTexts } from "../../types/type.ts";
import { spokenDimension, sameDimension, scales, units } from "../../types/units.ts";
import { localItems } from "./locals.ts";
import { formulaItems } from "./formula-items.ts";
import { libraryItems } from "./library-items.ts";
import { numberItems } from "./number-items.ts";
import { again, type Around, declared, independent, item, labelIn, markdown, symbolItem } from "./item.ts";

/** What a value of a type may be, and whatever has a name here. */
export function valueItems(
  type: Type | null,
  property: Property | null,
  around: Around,
  blocks: readonly BlockKind[],
): CompletionItem[] {
  const expected = alternatives(type)
    .flatMap((t) => ofType(t, around))
    .map((one) => (one.documentation === undefined && property !== null ? documented(one, property) : one));
  const fallback =
    property?.default === undefined || expected.some(({ label }) => label === property.default)
      ? []
      : [{ ...documented(item(property.default, Kind.Value, 2, null, around), property), detail: "default" }];
  const named = [...around.module.names.values()]
    .filter((symbol) => symbol.kind !== "block" || type === null)
    .map((symbol) => symbolItem(symbol, 3, around))
    .filter(({ label }) => label !== around.self);
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
  return unique([
    ...localItems(around.locals),
    ...expected,
    ...fallback,
    ...named,
    ...around_,
    ...functions,
    ...logic,
  ]);
}

/** A word that nobody explained is explained by what it is given to. */
const documented = (one: CompletionItem, { doc }: Property): CompletionItem =>
  doc === "" ? one : { ...one, documentation: markdown(doc) };

function ofType(type: Type, around: Around): CompletionItem[] {
  switch (type.kind) {
    case "bool":
      return ["true", "false"].map((word) => item(word, Kind.Keyword, 1, null, around));
    case "none":
    case "auto":
      return [item(type.kind, Kind.Keyword, 2, null, around)];
    case "enum":
      return type.values.map((name) => {
        const label = type.name === literalTexts ? `"${name}"` : name;
        return item(label, Kind.EnumMember, 1, { kind: "enum_member", type, name }, around);
      });
    case "choice":
      return Object.entries(type.constructors).map(([name, constructor]) =>
        constructorItem(type.name, name, constructor, around),
      );
    case "list":
      return alternatives(type.element).flatMap((t) => ofType(t, around));
    case "block":
      return [
        ...declared(type.kinds, around)
          .map((symbol) => symbolItem(symbol, 1, around))
          .filter(({ label }) => label !== around.owner),
        ...libraryItems(type.kinds, around),
      ];
    case "number":
      return numberItems(type, around);
    case "handle":
      return independent(type.kinds, around).flatMap((symbol) =>
        type.which.map((which) => ({
          ...symbolItem(symbol, 1, around),
          label: `${labelIn(around.module, symbol)}.${which}`,
          detail: `what ${symbol.name.text} makes`,
        })),
      );
    case "secret":
      return [...around.module.names.values()]
        .filter((symbol) => symbol.kind === "secret")
        .map((symbol) => symbolItem(symbol, 1, around));
    case "formula":
      return formulaItems(type, "", around);
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

/** Units of the dimensions that a type takes, else all. */
export function unitItems(type: Type | null, touches: boolean, around: Around): CompletionItem[] {
  const wanted = alternatives(type).flatMap((t) => (t.kind === "number" ? t.dimensions : []));
  const takesShare = alternatives(type).some((t) => t.kind === "number" && t.percent !== undefined);
  const names = [...units.keys()].filter(
    (name) =>
      name !== "%" && (wanted.length === 0 || wanted.some((d) => sameDimension(units.get(name)?.dimension ?? {}, d))),
  );
  const compound = wanted.filter((d) => Object.keys(d).length > 1).map(spokenDimension);
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
          documentation: markdown(`\`20${name} tokens\` are ${(20 * factor).toLocaleString("en")} tokens`),
        }))
      : []),
  ];
}

const plural = (name: string): boolean => name.endsWith("s") || !units.has(`${name}s`);

const unique = (items: readonly CompletionItem[]): CompletionItem[] => [
  ...new Map(items.toReversed().map((one) => [one.label, one])).values(),
];
