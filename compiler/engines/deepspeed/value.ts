import type { Document } from "../../document.ts";

/** A number that Python reads as `float`: `1.0` and `1e8`, not `1`. */
export interface Float {
  readonly kind: "float";
  readonly value: number;
}

export type Section = ReadonlyMap<string, Value>;

/** A configuration as Python holds it after reading JSON: a plain number is an `int`. */
export type Value = null | boolean | number | string | Float | readonly Value[] | Section;

export function isSection(value: Value | undefined): value is Section {
  return value instanceof Map;
}

export function isFloat(value: Value | undefined): value is Float {
  return typeof value === "object" && value !== null && "kind" in value;
}

export function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

/** A JSON number from its own words: a point or an exponent makes it a float. */
export function numberOf(source: string): number | Float {
  const value = Number(source);
  return /^-?\d+$/.test(source) ? value : { kind: "float", value };
}

/** `int`, `float` and `bool` are numbers to Python; `undefined` for anything else. */
export function asNumber(value: Value | undefined): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  return isFloat(value) ? value.value : undefined;
}

/** `isinstance(value, int)`, which holds for `bool` too. */
export function isInt(value: Value | undefined): value is number | boolean {
  return typeof value === "number" || typeof value === "boolean";
}

/** `bool(value)` */
export function truthy(value: Value | undefined): boolean {
  if (value === undefined || value === null || value === "") return false;
  if (isList(value)) return value.length > 0;
  if (isSection(value)) return value.size > 0;
  const number = asNumber(value);
  return number === undefined || number !== 0;
}

/** What a plan lowers: a whole number is written as one. */
export function valueOf(document: Document): Value {
  if (document === null || typeof document === "boolean" || typeof document === "string") return document;
  if (typeof document === "number") return numberOf(JSON.stringify(document));
  if (Array.isArray(document)) return document.map(valueOf);
  return new Map(
    Object.entries(document as { readonly [key: string]: Document }).map(([key, each]) => [key, valueOf(each)]),
  );
}

/** JSON without comments, every number as it is written. */
export function parseValue(text: string): Value {
  type Reviver = (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown;
  const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;
  return parse(text, (_, value, { source }) => {
    if (typeof value === "number") return numberOf(source ?? String(value));
    if (typeof value !== "object" || value === null || Array.isArray(value) || isFloat(value as Value)) return value;
    return new Map(Object.entries(value));
  }) as Value;
}

/** As the user wrote it, short enough for a message. */
export function textOf(value: Value | undefined): string {
  // JSON has no word for what Python's `json` reads as one of these.
  if (isFloat(value) && !Number.isFinite(value.value)) return String(value.value);
  const text = JSON.stringify(plain(value)) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

function plain(value: Value | undefined): unknown {
  if (isFloat(value)) return value.value;
  if (isList(value)) return value.map(plain);
  if (isSection(value)) return Object.fromEntries([...value].map(([key, each]) => [key, plain(each)]));
  return value;
}
