/** What kind of thing a formula gives, without its value. */
import type { Type } from "../../kind.ts";
import { meanings } from "../../types/type.ts";
import { type Dimension, spokenDimension, dimensionless, isDimensionless, sameDimension } from "../../types/units.ts";
import type { Value } from "../../types/value.ts";
import { article } from "../../diagnostics/article.ts";

export type Shape =
  | { readonly kind: "number"; readonly dimensions: readonly Dimension[] }
  | { readonly kind: "bool" }
  /** A text; of a fixed set where `values` lists it. */
  | { readonly kind: "text"; readonly values: readonly string[] | null }
  /** A list or a range. */
  | { readonly kind: "set"; readonly of: Shape }
  | { readonly kind: "any" }
  /** A mistake that has been reported. */
  | { readonly kind: "unknown" };

export function shapeOfType(type: Type): Shape {
  switch (type.kind) {
    case "number":
      return { kind: "number", dimensions: type.dimensions };
    case "bool":
      return { kind: "bool" };
    case "enum":
      return { kind: "text", values: type.values };
    case "string":
    case "path":
      return { kind: "text", values: null };
    case "list":
    case "range":
      return { kind: "set", of: shapeOfType(type.element) };
    case "union": {
      const numbers = type.members.flatMap((m) => (m.kind === "number" ? m.dimensions : []));
      const [first] = type.members;
      return numbers.length > 0
        ? { kind: "number", dimensions: numbers }
        : first === undefined
          ? { kind: "any" }
          : shapeOfType(first);
    }
    default:
      return { kind: "any" };
  }
}

export function shapeOfValue(value: Value): Shape {
  switch (value.kind) {
    case "number":
      return { kind: "number", dimensions: [value.dimension] };
    case "bool":
      return { kind: "bool" };
    case "member":
      return { kind: "text", values: value.values };
    case "string":
      return { kind: "text", values: value.among ?? null };
    case "list":
      return {
        kind: "set",
        of: value.items[0] === undefined ? { kind: "any" } : shapeOfValue(value.items[0].value),
      };
    case "range":
      return { kind: "set", of: { kind: "number", dimensions: [value.to.dimension] } };
    case "unknown":
      return { kind: "unknown" };
    default:
      return { kind: "any" };
  }
}

/** Whether two things can be compared. */
export function shapesMeet(a: Shape, b: Shape): boolean {
  if (a.kind === "any" || b.kind === "any") return true;
  if (a.kind === "number" && b.kind === "number")
    return a.dimensions.some((d) => b.dimensions.some((e) => sameDimension(d, e)));
  return a.kind === b.kind && a.kind !== "set";
}

/** What a formula gives where the type wants something else, in words; `null` where it fits. */
export function mismatchOf(shape: Shape, wanted: Type): string | null {
  if (shape.kind === "any" || shape.kind === "unknown") return null;
  const fits = meanings(wanted).some((type) => {
    const other = shapeOfType(type);
    return other.kind === "any" || shapesMeet(shape, other);
  });
  return fits ? null : describeShape(shape);
}

export function describeShape(shape: Shape): string {
  switch (shape.kind) {
    case "number": {
      const [first = dimensionless] = shape.dimensions;
      return isDimensionless(first) ? "a plain number" : `a number of ${spokenDimension(first)}`;
    }
    case "bool":
      return "true or false";
    case "text":
      return "a text";
    case "set":
      return "several values";
    case "any":
    case "unknown":
      return article("value");
  }
}
