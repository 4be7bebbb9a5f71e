import { nearest } from "../../../../dsl/diagnostics/nearest.ts";
import type { Diagnostic } from "../../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../../dsl/diagnostics/suggest.ts";
import { engineRawRefused, engineRawType, engineRawUnknown } from "../../../diagnostics/engine.ts";
import type { Document } from "../../../document.ts";
import type { StageStep } from "../../../pipeline.ts";
import type { Rule } from "../../engine.ts";
import { isSection } from "../merge.ts";
import { refused, schema, version, type Key, type Keys } from "../schema.ts";
import { spanOf } from "./span.ts";

/** Every key is one that the engine reads, and its value of the type it reads. */
export const rawKeys: Rule = {
  name: "raw-keys",
  source:
    "deepspeed runtime/config_utils.py: DeepSpeedConfigModel (extra=forbid); runtime/config.py: DeepSpeedConfig (ignores the rest; " +
    "refuses removed features by name)",
  check: (stage) => keysOf(stage, schema, stage.raw, ""),
};

function keysOf(
  stage: StageStep,
  known: Keys,
  given: Readonly<Record<string, Document>>,
  prefix: string,
): Diagnostic[] {
  return Object.entries(given).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    const span = spanOf(stage, path);
    const advice = refused[path];
    if (advice !== undefined) return [engineRawRefused(span, { key: path, engine: "deepspeed", version, advice })];
    const key = known[name];
    if (key === undefined) {
      const valid = Object.keys(known);
      const best = nearest(name, valid);
      const fixes = best === null || !stage.rawSpans.has(path) ? [] : [replacement(span, best)];
      return [
        engineRawUnknown(span, { key: path, engine: "deepspeed", nearest: best }, { valid: valid.sort(), fixes }),
      ];
    }
    if (key.keys !== undefined && isSection(value)) return keysOf(stage, key.keys, value, `${path}.`);
    return fits(key, value)
      ? []
      : [
          engineRawType(
            span,
            { key: path, value: JSON.stringify(value), wanted: wantedText(key) },
            { valid: validOf(key) },
          ),
        ];
  });
}

function fits(key: Key, value: Document): boolean {
  if (key.types.includes("any")) return true;
  if (key.values?.some((one) => one === value) === true) return true;
  if (typeof value === "number") {
    const whole = key.types.includes("integer") && Number.isInteger(value);
    if (!whole && !key.types.includes("number")) return false;
    return value >= (key.min ?? -Infinity) && value > (key.above ?? -Infinity) && value <= (key.max ?? Infinity);
  }
  if (value === null) return key.types.includes("null");
  if (Array.isArray(value)) return key.types.includes("array");
  switch (typeof value) {
    case "boolean":
      return key.types.includes("boolean");
    case "string":
      return key.types.includes("string");
    default:
      return key.types.includes("object") || key.open === true;
  }
}

function wantedText(key: Key): string {
  const limits = [
    ...(key.min === undefined ? [] : [`>= ${key.min}`]),
    ...(key.above === undefined ? [] : [`> ${key.above}`]),
    ...(key.max === undefined ? [] : [`<= ${key.max}`]),
  ].join(" and ");
  const kinds = key.types.filter((type) => type !== "enum" && type !== "null").map((type) => names[type]);
  const values = key.values === undefined ? [] : [`one of ${key.values.map(String).join(", ")}`];
  return [[...kinds, ...values].join(" or "), limits].filter((part) => part !== "").join(" ");
}

const names: Readonly<Record<Key["types"][number], string>> = {
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
  string: "a text",
  null: "null",
  array: "a list",
  object: "a section",
  enum: "",
  any: "anything",
};

function validOf(key: Key): string[] {
  return key.values?.map(String) ?? (key.types.includes("boolean") ? ["true", "false"] : []);
}
