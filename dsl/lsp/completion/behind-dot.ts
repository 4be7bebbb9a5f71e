/** What may stand behind a dot. */
import { type CompletionItem, CompletionItemKind as Kind } from "vscode-languageserver";
import type { BlockKind, DerivedField, Registry, Type } from "../../kind.ts";
import type { Symbol } from "../../symbols/symbol.ts";
import { alternatives } from "../../types/type.ts";
import { unitsOf } from "../../types/units.ts";
import { choicesOf, kindOf, memberOf } from "../meaning/kinds.ts";
import type { Field } from "../meaning/fields.ts";
import type { Meaning } from "../meaning/meaning.ts";
import type { Shape } from "../meaning/place.ts";
import { type Nested, nestedIn, nestedNamed } from "../meaning/nested.ts";
import { fieldsShape, shapeOf } from "../meaning/shape.ts";
import { textOf } from "../positions.ts";
import { type Around, item, symbolItem } from "./item.ts";
import { wordSaid } from "./word-said.ts";
import { blocksOf, nestedItems } from "./members.ts";
import type { Position } from "./positions.ts";
import { inTable } from "../../in-table.ts";

/** What stands behind the dot of a path. */
export function behindDot(
  path: readonly string[],
  { around: blocks, of, isAmended, kinds, type: expected }: Extract<Position, { kind: "after_dot" }>,
  around: Around,
): CompletionItem[] {
  const [first = "", ...rest] = path;
  const { module, registry } = around;
  if (first === "host")
    return ["gpus", "gpu_memory", "cores", "memory"].map((name) =>
      item(name, Kind.Field, 1, { kind: "phase", name: `host.${name}` }, around),
    );
  let symbol = module.names.get(first);
  let names: readonly string[] = rest;
  if (symbol?.kind === "namespace") {
    const { of } = symbol;
    if (rest.length === 0) {
      const inside = { ...around, module: of };
      if (kinds !== null) return blocksOf(kinds, inside);
      const blockKinds = kindsOf(expected);
      return [...of.names.values()]
        .filter((s) => s.module === of)
        .filter((s) => s.kind !== "block" || (blockKinds?.includes(s.node.head[0].text) ?? true))
        .map((s) => symbolItem(s, 1, inside));
    }
    symbol = of.names.get(rest[0] ?? "");
    names = rest.slice(1);
  }
  let kind: BlockKind | null =
    symbol === undefined ? (blocks.find((block) => block.name === first) ?? null) : kindOf(symbol, registry);
  let type: Type | null = null;
  if (symbol?.kind === "let") {
    const shape = names.reduce<Shape>(
      (found, name) => (found?.kind === "fields" ? fieldNamed(found.fields, name) : null),
      shapeOf(symbol, registry),
    );
    if (shape?.kind === "fields")
      return [...Map.groupBy(shape.fields, ({ name }) => name.text)].map(([name, rows]) => ({
        ...item(name, Kind.Field, 1, null, around),
        detail: rows.map(({ value }) => textOf(value.span).replace(/\s+/g, " ")).join(" | "),
      }));
  }
  // `plan.` in a stage is the plan of that stage.
  const self = symbol === undefined && kind === null ? blocks.find((block) => block.derived?.[first]) : undefined;
  if (self !== undefined) {
    kind = self;
    names = path;
  }
  // A line that begins with a member, or with a block inside the one around it, speaks of that one.
  const subject = of === null ? undefined : subjectOf(of, around);
  const isInside = of?.amends === true && nestedNamed(nestedOf(subject, registry), first, of) !== undefined;
  if (of !== null && (memberOf(of, first) !== null || isInside)) {
    kind = of;
    names = path;
    symbol = subject;
  }
  const nested = nestedOf(symbol, registry);
  let derived: Derived | null = null;
  for (const name of names) {
    if (derived !== null) {
      const field: DerivedField | undefined = derived.is.fields?.[name];
      if (field === undefined) return [];
      derived = fieldOf(derived, name, field);
      continue;
    }
    const meaning: Meaning | null = kind === null ? null : memberOf(kind, name);
    derived = meaning?.kind === "derived" ? meaning : null;
    const inner = meaning === null ? nestedNamed(nested, name, kind)?.block : undefined;
    kind = meaning?.kind === "group" ? meaning.block : (inner ?? null);
    type = meaning?.kind === "property" ? meaning.property.type : null;
    const referred = alternatives(type).find((t) => t.kind === "block");
    if (referred?.kind === "block") kind = inTable(registry.kinds, referred.kinds[0] ?? "") ?? null;
  }
  if (derived !== null) return fieldsOf(derived, around);
  if (kind !== null) return membersOf(kind, names.length === 0 ? nested : [], isAmended, around);
  const said = wordSaid(symbol, names);
  const fields = new Map(
    choicesOf(type).flatMap(({ constructors }) =>
      Object.entries(constructors)
        .filter(([of]) => said === null || of === said || inTable(constructors, said) === undefined)
        .flatMap(([of, { parameters: all }]) =>
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

/** The kinds of the blocks that a value may be; `null` where it may be of any. */
function kindsOf(type: Type | null): readonly string[] | null {
  const types = alternatives(type).flatMap((t) => (t.kind === "list" ? alternatives(t.element) : [t]));
  const named = types.flatMap((t) => (t.kind === "block" || t.kind === "handle" ? t.kinds : []));
  return named.length === 0 ? null : named;
}

function fieldNamed(fields: readonly Field[], name: string): Shape {
  const field = fields.find((each) => each.name.text === name);
  return field === undefined ? null : fieldsShape(field.value);
}

type Derived = Extract<Meaning, { kind: "derived" }>;

const fieldOf = (derived: Derived, name: string, is: DerivedField): Derived => ({
  ...derived,
  name: `${derived.name}.${name}`,
  is,
});

const fieldsOf = (derived: Derived, around: Around): CompletionItem[] =>
  Object.entries(derived.is.fields ?? {}).map(([name, is]) =>
    item(name, Kind.Field, 1, fieldOf(derived, name, is), around),
  );

/** The block that a line in a block of a kind speaks of: the one around it, or what a sweep varies. */
function subjectOf(of: BlockKind, { module, registry, owner }: Around): Symbol | undefined {
  const own = module.names.get(owner ?? "");
  const varied =
    own === undefined || kindOf(own, registry) === of || of.amends === true ? null : wordSaid(own, [of.name]);
  return varied === null ? own : module.names.get(varied);
}

const nestedOf = (symbol: Symbol | undefined, registry: Registry): readonly Nested[] =>
  symbol === undefined ? [] : nestedIn(symbol, registry);

/** All that one can ask a block for, or write in it. */
function membersOf(kind: BlockKind, nested: readonly Nested[], isAmended: boolean, around: Around): CompletionItem[] {
  const names = [
    ...Object.keys(kind.properties),
    ...Object.keys(kind.blocks ?? {}),
    ...(isAmended ? [] : [...Object.keys(kind.derived ?? {}), ...(kind.handles ?? [])]),
    ...(isAmended || kind.at === undefined ? [] : ["at"]),
  ];
  const own = [...new Set(names)].map((name) => {
    const meaning = memberOf(kind, name);
    const isDerived = meaning?.kind === "derived" || meaning?.kind === "handle";
    return item(name, isDerived ? Kind.Field : Kind.Property, isDerived ? 1 : 2, meaning, around);
  });
  return [...own, ...nestedItems(nested, around)];
}
