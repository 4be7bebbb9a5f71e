/** A type as the reference pages say it. */
import type { Type } from "../../dsl/kind.ts";
import { spokenDimension, isDimensionless } from "../../dsl/types/units.ts";
import { handleWords } from "../../dsl/types/type.ts";
import { number, showNumber } from "../../dsl/types/value.ts";

export function typeWords(type: Type): string {
  switch (type.kind) {
    case "bool":
      return "`true` or `false`";
    case "number":
      return numberWords(type);
    case "string":
      return "text";
    case "path":
      return type.schemes === undefined ? "path or URI" : `path or URI (${type.schemes.map(code).join(", ")})`;
    case "enum":
      return type.values.map(code).join(", ");
    case "choice":
      return `[${type.name}](#${anchor(type.name)}): ${Object.keys(type.constructors).map(code).join(", ")}`;
    case "list":
      return `list${type.length === undefined ? "" : ` of ${type.length}`}: ${typeWords(type.element)}`;
    case "range":
      return `range: ${typeWords(type.element)}`;
    case "block":
      return type.kinds.map((kind) => `[\`${kind}\`](${kind}.md)`).join(" or ");
    case "handle":
      return `${handleWords(type).map(code).join(", ")} of a ${type.kinds.map((kind) => `[\`${kind}\`](${kind}.md)`).join(" or ")}`;
    case "secret":
      return "secret";
    case "none":
    case "auto":
      return code(type.kind);
    case "formula":
      return type.result === undefined ? "formula" : `formula that gives ${typeWords(type.result)}`;
    case "union":
      return [...new Set(type.members.map(typeWords))].join("; or ");
    case "any":
      return "any value";
  }
}

function numberWords(type: Extract<Type, { kind: "number" }>): string {
  const counted = type.dimensions.filter((dimension) => !isDimensionless(dimension)).map(spokenDimension);
  const isPlain = type.dimensions.some(isDimensionless);
  const noun = type.integer === true ? "whole number" : "number";
  const words = [
    ...(counted.length === 0 ? [] : [`${noun} of ${counted.map(code).join(", ")}`]),
    ...(isPlain && type.percent === undefined ? [noun] : []),
    ...(type.percent === undefined ? [] : [`share of ${type.percent}, as ${code("5%")}`]),
  ].join("; or ");
  return `${words}${limits(type)}`;
}

function limits({ min, above, max, below, dimensions }: Extract<Type, { kind: "number" }>): string {
  const isMin = min !== undefined && Number.isFinite(min);
  const isMax = max !== undefined && Number.isFinite(max);
  const said = (bound: number) => (bound < 1e6 ? `${bound}` : showNumber(number(bound, dimensions[0])));
  if (isMin && isMax && above === undefined && below === undefined) return `, ${said(min)} to ${said(max)}`;
  const least = above !== undefined ? [`more than ${said(above)}`] : isMin ? [`at least ${said(min)}`] : [];
  const most = below !== undefined ? [`less than ${said(below)}`] : isMax ? [`at most ${said(max)}`] : [];
  const ends = [...least, ...most];
  return ends.length === 0 ? "" : `, ${ends.join(" and ")}`;
}

export const code = (text: string): string => `\`${text.replaceAll("|", "\\|")}\``;

/** How Markdown readers name a heading. */
export const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

/** The choices inside of a type. */
export function choicesIn(type: Type): readonly Extract<Type, { kind: "choice" }>[] {
  switch (type.kind) {
    case "choice":
      return [type];
    case "list":
    case "range":
      return choicesIn(type.element);
    case "union":
      return type.members.flatMap(choicesIn);
    default:
      return [];
  }
}

/** Formulas that a value of the type may be. */
export function formulasIn(type: Type): readonly Extract<Type, { kind: "formula" }>[] {
  switch (type.kind) {
    case "formula":
      return [type];
    case "list":
    case "range":
      return formulasIn(type.element);
    case "union":
      return type.members.flatMap(formulasIn);
    default:
      return [];
  }
}
