/** The JSON Schema of what a file says: its blocks by kind and name, as `cdrc schema FILE` prints them. */
import type { BlockKind, Constructor, Property, Registry, Type } from "../../dsl/kind.ts";
import { describeDimension, isDimensionless } from "../../dsl/types/units.ts";
import { article } from "../../dsl/diagnostics/article.ts";

export type Schema = { readonly [key: string]: unknown };

export function schemaOf(registry: Registry): Schema {
  const kinds = Object.values(registry.kinds).filter((kind) => kind.variant !== true);
  const shared = new Map<string, string>();
  const define: Define = (name, schema) => {
    const text = JSON.stringify(schema);
    if (!shared.has(text)) {
      const taken = [...shared.values()].filter((each) => each === name || each.startsWith(`${name}_`)).length;
      shared.set(text, taken === 0 ? name : `${name}_${taken + 1}`);
    }
    return { $ref: `#/$defs/${shared.get(text) ?? name}` };
  };
  const blocks = kinds.map((kind) => [kind.name, blockSchema(kind, define)] as const);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "The contents of a .cdr file",
    description:
      "Blocks by kind and name, after inheritance and amendments, defaults included. Numbers with a unit are in base units: bytes, seconds, plain counts.",
    type: "object",
    properties: Object.fromEntries(
      kinds.map((kind) => [
        kind.name,
        { type: "object", description: kind.doc, additionalProperties: { $ref: `#/$defs/${kind.name}` } },
      ]),
    ),
    additionalProperties: false,
    $defs: {
      ...Object.fromEntries(blocks),
      ...Object.fromEntries([...shared].map(([text, name]) => [name, JSON.parse(text) as Schema])),
    },
  };
}

/** Puts what many properties take in one place. */
type Define = (name: string, schema: Schema) => Schema;

function blockSchema(kind: BlockKind, define: Define): Schema {
  const nested = Object.entries(kind.nested ?? {}).map(([name, inner]) => [
    name,
    { type: "object", description: inner.doc, additionalProperties: blockSchema(inner, define) },
  ]);
  const isOpen =
    kind.open === true ||
    kind.amends === true ||
    kind.varies !== undefined ||
    kind.constructs !== undefined ||
    "raw" in (kind.nested ?? {});
  return {
    type: "object",
    description: kind.doc,
    properties: {
      when: { type: "boolean", description: "whether the block is there" },
      ...propertiesSchema(kind.properties, define),
      ...Object.fromEntries(
        Object.entries(kind.blocks ?? {}).map(([name, inner]) => [name, blockSchema(inner, define)]),
      ),
      ...Object.fromEntries(nested),
    },
    additionalProperties: isOpen,
  };
}

function propertiesSchema(properties: Readonly<Record<string, Property>>, define: Define): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, { type, doc, default: initial, required }]) => [
      name,
      {
        ...(required === true ? typeSchema(type, define) : { anyOf: [typeSchema(type, define), { type: "null" }] }),
        ...(initial === undefined ? {} : { "x-default": initial }),
        description: doc,
      },
    ]),
  );
}

function typeSchema(type: Type, define: Define): Schema {
  switch (type.kind) {
    case "bool":
      return { type: "boolean" };
    case "number":
      return numberSchema(type, define);
    case "string":
      return { type: "string", ...(type.form !== undefined && { pattern: patternOf(type.form.pattern) }) };
    case "path":
      return { type: "string" };
    case "formula":
      return { type: "string", description: "a formula, as written" };
    case "enum":
      return { enum: type.values };
    case "choice":
      // A file may declare more of them by `plugin`.
      return define(`choice_of_${type.name.replaceAll(/\W+/g, "_")}`, {
        anyOf: [
          ...alike(type.constructors, define).map(choiceSchema),
          { type: "object", properties: { choice: { type: "string" } }, required: ["choice"] },
        ],
      });
    case "list":
      return { type: "array", items: typeSchema(type.element, define) };
    case "range":
      return {
        type: "object",
        properties: { from: typeSchema(type.element, define), to: typeSchema(type.element, define) },
        required: ["from", "to"],
        additionalProperties: false,
      };
    case "block":
      return { type: "string", description: `the name of ${article(type.kinds.join(" or "))}` };
    case "handle":
      return {
        type: "string",
        description: `what ${article(type.kinds.join(" or "))} makes, as \`name.${type.which[0] ?? ""}\``,
      };
    case "secret":
      return { type: "object", properties: { secret: { type: "string" } }, required: ["secret"] };
    case "none":
      return { type: "null" };
    case "auto":
      return { const: "auto" };
    case "union":
      return { anyOf: type.members.map((member) => typeSchema(member, define)) };
    case "any":
      return {};
  }
}

function numberSchema(type: Extract<Type, { kind: "number" }>, define: Define): Schema {
  const units = type.dimensions
    .filter((dimension) => !isDimensionless(dimension))
    .map((dimension) => describeDimension(dimension));
  const plain = { type: type.integer === true ? "integer" : "number" };
  if (units.length === 0) return plain;
  const counted = {
    type: "object",
    properties: { value: { type: "number" }, unit: { enum: units } },
    required: ["value", "unit"],
    additionalProperties: false,
  };
  const isAlsoPlain = type.percent !== undefined || type.dimensions.some(isDimensionless);
  const name = `number_of_${units.join("_or_").replaceAll(/\W+/g, "_")}`;
  return define(name, isAlsoPlain ? { anyOf: [counted, { type: "number" }] } : counted);
}

interface Alike {
  readonly names: readonly string[];
  readonly doc: string;
  readonly parameters: Record<string, Schema>;
}

/** Constructors by what they take: many families take all that a model does. */
function alike(constructors: Readonly<Record<string, Constructor>>, define: Define): readonly Alike[] {
  const groups = new Map<string, Alike>();
  for (const [name, { doc, parameters }] of Object.entries(constructors)) {
    const properties = propertiesSchema(parameters, define);
    const key = Object.keys(parameters).length === 0 ? name : JSON.stringify(properties);
    const known = groups.get(key);
    const names = [...(known?.names ?? []), name];
    groups.set(key, { names, doc: known === undefined ? doc : `${known.doc}; ${doc}`, parameters: properties });
  }
  return [...groups.values()];
}

function choiceSchema({ names, doc, parameters }: Alike): Schema {
  return {
    type: "object",
    description: doc,
    properties: { choice: names.length === 1 ? { const: names[0] } : { enum: names }, ...parameters },
    required: ["choice"],
    additionalProperties: false,
  };
}

/** JSON Schema's patterns have no flags: where capitals do not count, each letter stands for both. */
function patternOf({ source, ignoreCase }: RegExp): string {
  if (!ignoreCase) return source;
  return source.replace(/\\.|\[[^\]]*\]|[A-Za-z]/g, (part) =>
    part.length === 1 ? `[${part.toUpperCase()}${part.toLowerCase()}]` : part,
  );
}
