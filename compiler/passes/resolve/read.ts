/** Typed reading of evaluated properties. What was reported as wrong reads as absent. */
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { defaultOf } from "../../../dsl/eval/blocks/default.ts";
import { decidedGroup, heldGroup } from "../../../dsl/eval/blocks/implied.ts";
import { isGivenBack } from "../../../dsl/eval/blocks/is-given-back.ts";
import { boundsOf, groupOf } from "../../../dsl/eval/blocks/property.ts";
import type { Base } from "../../../dsl/types/units.ts";
import type { ChoiceValue, Value, Valued } from "../../../dsl/types/value.ts";
import { inTable } from "../../../dsl/in-table.ts";
import type { Bound, Given, Scalar } from "../../pipeline.ts";
import { admits } from "../size/bounds.ts";

export const valued = (block: Instance, name: string): Valued => block.context.property(block, name, block.span);

export function numberOf(value: Value | undefined): number | null {
  return value?.kind === "number" ? value.value : null;
}

export function textOf(value: Value | undefined): string | null {
  return value?.kind === "string" ? value.value : value?.kind === "member" ? value.name : null;
}

/** The texts of a list. */
export const textsOf = (value: Value | undefined): string[] =>
  value?.kind === "list" ? value.items.flatMap((item) => textOf(item.value) ?? []) : [];

export function boolOf(value: Value | undefined): boolean | null {
  return value?.kind === "bool" ? value.value : null;
}

export const numberAt = (block: Instance, name: string): number | null => numberOf(valued(block, name).value);
export const textAt = (block: Instance, name: string): string | null => textOf(valued(block, name).value);
export const boolAt = (block: Instance, name: string): boolean | null => boolOf(valued(block, name).value);
export const blockAt = (block: Instance, name: string): Instance | null => {
  const { value } = valued(block, name);
  return value.kind === "block" ? value.block : null;
};
export const choiceAt = (block: Instance, name: string): ChoiceValue | null => {
  const { value } = valued(block, name);
  return value.kind === "choice" ? value : null;
};
export const argument = (choice: ChoiceValue, name: string): Value | undefined => choice.arguments.get(name)?.value;

/** The only base a number is counted in, or `null` for a plain number. */
export function unitOf(value: Value | undefined): Base | null {
  return value?.kind === "number" ? ((Object.keys(value.dimension)[0] as Base | undefined) ?? null) : null;
}

/** A plain value with the place it was said at. */
export function given<T>(value: T, from: Valued): Given<T> {
  return { value, span: from.span, origin: from.origin };
}

export function scalar(value: Value): Scalar | null {
  switch (value.kind) {
    case "number":
    case "bool":
    case "string":
      return value.value;
    case "member":
      return value.name;
    case "none":
      return "none";
    default:
      return null;
  }
}

/** What a block says of its properties: values where `=` was written, bounds where `<=`, `>=`, `in` were. */
export function settingsOf(
  block: Instance | null,
  names: readonly string[],
): { given: Map<string, Given<Scalar>>; bounds: Map<string, Bound> } {
  const values = new Map<string, Given<Scalar>>();
  const bounds = new Map<string, Bound>();
  if (block === null) return { given: values, bounds };
  for (const name of names) {
    const value = valued(block, name);
    const isOpen = value.origin.kind === "default" || isGivenBack(block, name, value.value);
    const plain = isOpen ? null : scalar(value.value);
    if (plain !== null) values.set(name, given(plain, value));
  }
  for (const said of boundsOf(block)) bounds.set(said.name, narrowed(bounds.get(said.name) ?? unbounded, said));
  return { given: values, bounds };
}

type Said = ReturnType<typeof boundsOf>[number];

/** What nothing was asked of. */
export const unbounded: Bound = { min: null, max: null, oneOf: null, spans: [] };
export const narrowed = (so: Bound, { op, value }: Said): Bound =>
  tighten({ ...so, spans: [...so.spans, value.span] }, op, value.value);

/** Whether a value is within what was asked of it; what is no number or word is never outside. */
export function boundHolds(value: Value, bound: Said): boolean {
  const plain = scalar(value);
  return plain === null || admits(narrowed(unbounded, bound), plain);
}

function tighten(bound: Bound, op: string, value: Value): Bound {
  const above = (min: number): Bound => ({ ...bound, min: Math.max(bound.min ?? -Infinity, min) });
  const below = (max: number): Bound => ({ ...bound, max: Math.min(bound.max ?? Infinity, max) });
  if (value.kind === "number") {
    const strict = Number.isInteger(value.value) ? 1 : 0;
    if (op === ">=") return above(value.value);
    if (op === "<=") return below(value.value);
    return op === ">" ? above(value.value + strict) : below(value.value - strict);
  }
  if (value.kind === "range") {
    return {
      ...bound,
      min: Math.max(bound.min ?? -Infinity, value.from.value),
      max: Math.min(bound.max ?? Infinity, value.to.value),
    };
  }
  if (value.kind !== "list") return bound;
  const items = value.items.flatMap((item) => scalar(item.value) ?? []);
  return { ...bound, oneOf: bound.oneOf === null ? items : bound.oneOf.filter((v) => items.includes(v)) };
}

export const group = groupOf;

/** A property as it is written, else as the compiler decides it. */
export function decidedAt(block: Instance, name: string): Value {
  const { value } = valued(block, name);
  const derived = inTable(block.kind.derived, name);
  return derived === undefined || (block.values.has(name) && !isGivenBack(block, name, value))
    ? value
    : derived.compute(block);
}

/** Experts of a layer, be they the family's: 0 where a model has none, `null` where that is not known. */
export function expertsOf(model: Instance): number | null {
  const moe = decidedGroup(model, "moe");
  return moe === null ? 0 : numberOf(decidedAt(moe, "experts"));
}

/** The share of the documents that a `data` block holds out for a split. */
export function heldOut(data: Instance, which: "val" | "test"): number {
  const split = heldGroup(data, "split");
  if (split === null) return 0;
  const { value } = valued(split, which);
  const property = split.kind.properties[which];
  // What an error touches holds out as much as where nothing is said.
  const held =
    value.kind === "unknown" && property !== undefined
      ? defaultOf(property, split.kind.name, split.span, split.context).value
      : value;
  return numberOf(held) ?? 0;
}
