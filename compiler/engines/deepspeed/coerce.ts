import type { Field } from "./table.ts";
import { asNumber, isFloat, isList, isSection, type Value } from "./value.ts";
import { inTable } from "../../../dsl/in-table.ts";

/** A value as the engine's schema turns it, or what the schema wants instead. */
export type Coerced = { readonly value: Value } | { readonly wanted: string };

/** pydantic's lax mode (its conversion table): texts that read as numbers or truth, floats without a fraction. */
export function coerce(field: Field, value: Value): Coerced {
  if (value === null && field.null === true) return { value };
  const coerced = ofType(field, value);
  const limits = limitsOf(field);
  if ("wanted" in coerced) {
    const wanted = [coerced.wanted, ...(limits === "" ? [] : [limits])].join(" ");
    return { wanted: field.null === true ? `${wanted} or null` : wanted };
  }
  const number = asNumber(coerced.value);
  if (number === undefined || limits === "" || field.type === "bool") return coerced;
  const inside =
    number > (field.gt ?? -Infinity) &&
    number < (field.lt ?? Infinity) &&
    number >= (field.ge ?? -Infinity) &&
    number <= (field.le ?? Infinity);
  return inside ? coerced : { wanted: `${names[field.type]} ${limits}` };
}

function ofType(field: Field, value: Value): Coerced {
  switch (field.type) {
    case "any":
      return { value };
    case "none":
      return { wanted: "left out: no text stands for it" };
    case "bool":
      return toBoolean(value);
    case "int":
      return toInteger(value);
    case "float":
      return toFloat(value);
    case "str":
      return typeof value === "string" ? { value } : { wanted: "a text" };
    case "dict":
      return isSection(value) ? { value } : { wanted: "a section" };
    case "enum":
    case "literal":
      return toChoice(field, value);
    case "list":
      return toList(field, value);
    case "union":
      return toUnion(field.of as readonly Field[], value);
    case "model":
      return isSection(value) ? { value } : { wanted: "a section" };
  }
}

const truths: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(["1", "on", "t", "true", "y", "yes"].map((word) => [word, true])),
  ...Object.fromEntries(["0", "off", "f", "false", "n", "no"].map((word) => [word, false])),
};

function toBoolean(value: Value): Coerced {
  const known = typeof value === "string" ? inTable(truths, value.toLowerCase()) : undefined;
  if (known !== undefined) return { value: known };
  const number = asNumber(value);
  return number === 0 || number === 1 ? { value: number === 1 } : { wanted: "true or false" };
}

function toInteger(value: Value): Coerced {
  if (typeof value === "string") {
    const text = value.trim();
    if (/^[+-]?\d+(_\d+)*(\.0+)?$/.test(text)) return { value: Number(text.replaceAll("_", "")) };
    return { wanted: "a whole number" };
  }
  const number = asNumber(value);
  return number !== undefined && Number.isInteger(number) ? { value: number } : { wanted: "a whole number" };
}

function toFloat(value: Value): Coerced {
  const number = typeof value === "string" ? parseFloatText(value) : asNumber(value);
  return number === undefined ? { wanted: "a number" } : { value: { kind: "float", value: number } };
}

/** `float(text)`; `undefined` where Python raises. */
export function parseFloatText(text: string): number | undefined {
  const bare = text.trim().toLowerCase();
  const special = /^[+-]?(inf|infinity|nan)$/.exec(bare);
  if (special !== null) return special[1] === "nan" ? NaN : bare.startsWith("-") ? -Infinity : Infinity;
  return /^[+-]?(\d+(_\d+)*\.?(\d+(_\d+)*)?|\.\d+(_\d+)*)(e[+-]?\d+)?$/.test(bare)
    ? Number(bare.replaceAll("_", ""))
    : undefined;
}

function toChoice(field: Field, value: Value): Coerced {
  const plain = isFloat(value) ? value.value : value;
  const numbers = field.values?.every((each) => typeof each === "number") === true;
  const wanted = { wanted: `one of ${(field.values ?? []).join(", ")}` };
  if (numbers) {
    const number = toInteger(value);
    const hit = "value" in number ? field.values?.find((each) => each === number.value) : undefined;
    return hit === undefined ? wanted : { value: hit };
  }
  const hit = field.values?.find((each) => each === plain);
  return hit === undefined ? wanted : { value: hit };
}

function toList(field: Field, value: Value): Coerced {
  if (!isList(value)) return { wanted: "a list" };
  if (field.of === undefined) return { value };
  for (const item of value) {
    const coerced = coerce(field.of as Field, item);
    if ("wanted" in coerced) return { wanted: `a list, each item ${coerced.wanted}` };
  }
  return { value };
}

function toUnion(fields: readonly Field[], value: Value): Coerced {
  const tries = fields.map((field) => coerce(field, value));
  return (
    tries.find((each) => "value" in each) ?? {
      wanted: tries.flatMap((each) => ("wanted" in each ? [each.wanted] : [])).join(" or "),
    }
  );
}

const names: Partial<Record<Field["type"], string>> = { int: "a whole number", float: "a number" };

export function limitsOf(field: Field): string {
  return [
    ...(field.gt === undefined ? [] : [`> ${field.gt}`]),
    ...(field.ge === undefined ? [] : [`>= ${field.ge}`]),
    ...(field.lt === undefined ? [] : [`< ${field.lt}`]),
    ...(field.le === undefined ? [] : [`<= ${field.le}`]),
  ].join(" and ");
}

/** `int(value)`; `undefined` where Python raises. */
export function toInt(value: Value | undefined): number | undefined {
  if (typeof value === "string")
    return /^[+-]?\d+(_\d+)*$/.test(value.trim()) ? Number(value.trim().replaceAll("_", "")) : undefined;
  const number = asNumber(value);
  return number !== undefined && Number.isFinite(number) ? Math.trunc(number) : undefined;
}
