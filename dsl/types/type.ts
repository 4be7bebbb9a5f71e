/** Building and describing types. */
import { counted } from "../diagnostics/counted.ts";
import type { BlockKind, Constructor, Type } from "../kind.ts";
import { type Dimension, spokenDimension, dimensionless, isDimensionless } from "./units.ts";
import { article } from "../diagnostics/article.ts";

export type NumberType = Extract<Type, { kind: "number" }>;

export const bool: Type = { kind: "bool" };
export const string: Type = { kind: "string" };
export const textOfForm = (words: string, pattern: RegExp): Type => ({ kind: "string", form: { words, pattern } });
export const path: Type = { kind: "path" };
export const noneType: Type = { kind: "none" };
export const autoType: Type = { kind: "auto" };
export const anyType: Type = { kind: "any" };
export const lostType: Type = { kind: "any", lost: true };
/** Kept as written, read by the compiler. */
export const formula: Type = { kind: "formula" };
export const secret: Type = { kind: "secret" };

type NumberOptions = Omit<NumberType, "kind" | "dimensions">;

/** A number counted in one of these. */
export const quantity = (dimensions: readonly Dimension[], options: NumberOptions = {}): Type => ({
  kind: "number",
  dimensions,
  ...options,
});
export const number = (options: NumberOptions = {}): Type => quantity([dimensionless], options);
export const integer = (options: NumberOptions = {}): Type => number({ integer: true, ...options });
/** A share of `whole`, written `5%` or `0.05`. */
export const share = (whole: string, options: NumberOptions = {}): Type =>
  number({ min: 0, max: 1, percent: whole, ...options });
export const tokens = quantity([{ token: 1 }], { integer: true, min: 0 });
export const samples = quantity([{ sample: 1 }], { integer: true, min: 1 });
export const steps = quantity([{ step: 1 }], { integer: true, min: 0 });
export const bytes = quantity([{ byte: 1 }], { min: 0 });
export const duration = quantity([{ second: 1 }], { min: 0 });
export const enumeration = (
  name: string,
  values: readonly string[],
  foreign: Readonly<Record<string, string>> = {},
): Type => ({ kind: "enum", name, values, foreign });
export const choice = (
  name: string,
  constructors: Readonly<Record<string, Constructor>>,
  foreign: Readonly<Record<string, string>> = {},
  reasons: Readonly<Record<string, string>> = {},
): Extract<Type, { kind: "choice" }> => ({
  kind: "choice",
  foreign,
  reasons,
  name,
  constructors,
});
export const list = (element: Type, length?: number): Type => ({
  kind: "list",
  element,
  ...(length === undefined ? {} : { length }),
});
/** A list with at least one item. */
export const filled = (element: Type): Type => ({ kind: "list", element, filled: true });
/** A list in which an item may stand again. */
export const sequence = (element: Type): Type => ({ kind: "list", element, repeats: true });
export const block = (...kinds: readonly string[]): Type => ({ kind: "block", kinds });
export const handle = (kinds: readonly string[], which: readonly string[]): Type => ({
  kind: "handle",
  kinds,
  which,
});
/** A handle, or what the step made at one point. */
export const handleOrAt = (kinds: readonly string[], which: readonly string[], elsewhere?: string): Type => ({
  kind: "handle",
  kinds,
  which,
  at: true,
  ...(elsewhere === undefined ? {} : { elsewhere }),
});
/** A formula over names, its units checked. */
export const formulaOver = (
  names: Extract<Type, { kind: "formula" }>["names"] & {},
  result: Type,
  role?: string,
): Type => ({ kind: "formula", names, result, ...(role === undefined ? {} : { role }) });
export const union = (...members: readonly Type[]): Type => ({ kind: "union", members });

/** The name of a set of texts that is written out as a type, `"a" | "b"`: no name that an `enum` can have. */
export const literalTexts = "valid text";

/** `a number of tokens or samples`, `one of bf16, fp16, fp32`. */
export function describeType(type: Type): string {
  switch (type.kind) {
    case "bool":
      return "true or false";
    case "number":
      return describeNumber(type);
    case "string":
      return type.form?.words ?? "a text in quotes";
    case "path":
      return "a path in quotes";
    case "enum":
      return `one of ${type.values.join(", ")}`;
    case "choice":
      return `${article(type.name)} (${Object.keys(type.constructors).join(", ")})`;
    case "list":
      return type.length === undefined
        ? `a list of ${describeType(type.element)}`
        : `a list of ${counted(type.length, "value")}`;
    case "range":
      return "a range";
    case "block":
      return `${article(type.kinds.join(" or "))} block`;
    case "handle":
      return `a result of ${article(type.kinds.join(" or "))} (${handleWords(type).join(", ")})`;
    case "secret":
      return "a secret";
    case "none":
    case "auto":
      return type.kind;
    case "formula":
      return type.names === undefined || typeof type.names === "function"
        ? "a formula"
        : `a formula over ${Object.keys(type.names).join(", ")}`;
    case "union":
      return type.members.map(describeType).join(", or ");
    case "any":
      return "any value";
  }
}

/** `.last`, `.at(…)`: what may stand behind the name of a step. */
export const handleWords = ({ which, at }: Extract<Type, { kind: "handle" }>): string[] => [
  ...which.map((word) => `.${word}`),
  ...(at === true ? [".at(…)"] : []),
];

/** What a bare `%` is a share of where any number may stand. */
export const one = "one";

function describeNumber(type: NumberType): string {
  const plain = type.dimensions.some(isDimensionless);
  const counted = type.dimensions.filter((d) => !isDimensionless(d)).map(spokenDimension);
  const noun = type.integer === true ? "a whole number" : "a number";
  const words = [
    ...(counted.length > 0 ? [`${noun} of ${counted.join(" or ")}`] : []),
    ...(type.percent === undefined || type.percent === one
      ? plain
        ? [noun]
        : []
      : [`a share of ${type.percent} (\`5%\`)`]),
  ];
  return words.join(", or ");
}

/** All enums and choices that a type accepts, unions opened. */
export function alternatives(type: Type | null): readonly Type[] {
  if (type === null) return [];
  return type.kind === "union" ? type.members.flatMap(alternatives) : [type];
}

/** The group of settings that is expected, if one is. */
export const groupIn = (expected: Type | null): BlockKind | null =>
  alternatives(expected).flatMap((t) => (t.kind === "block" && t.group !== undefined ? [t.group] : []))[0] ?? null;

/** Where a bare word may find its meaning: what the type accepts, and items of its lists, for one item stands for a list. */
export function meanings(type: Type | null): readonly Type[] {
  return alternatives(type).flatMap((t) => (t.kind === "list" ? [t, ...meanings(t.element)] : [t]));
}
