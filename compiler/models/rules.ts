/** Rules by which families decide a property from others, each with its published source. */
import { divisors } from "../planner/divisors.ts";
import type { Default, Property } from "./family.ts";
import { headsOf, ownHeadsOf } from "./heads.ts";

/** A value that is no rule, where its source is another than the family's. */
export const sourced = <T>(value: T, source: string): Default<T> => ({ value, source });

/** Heads of about a width that may depend on the model's. */
export function heads(width: number | ((dModel: number) => number), rule: string, source: string): Default<number> {
  const wanted = typeof width === "number" ? () => width : width;
  return {
    value: ({ d_model, head_dim, kv_heads }) =>
      d_model === undefined ? null : headsOf(d_model, head_dim ?? wanted(d_model), kv_heads),
    rule: `${rule}, or the nearest divisor`,
    inputs: ["d_model"],
    source,
  };
}

/**
 * Heads that are `own` wide whatever the width of the model: together as wide as the family has them, where `width` of the model has one
 * of them.
 */
export function ownHeads(
  own: number,
  width: number | ((dModel: number) => number),
  rule: string,
  source: string,
): Default<number> {
  const share = typeof width === "number" ? () => width : width;
  return {
    value: ({ d_model, head_dim = own, kv_heads }) =>
      d_model === undefined ? null : ownHeadsOf(d_model, (d_model / share(d_model)) * (own / head_dim), kv_heads),
    rule: `${rule}, in multiples of 8 (4 below 4096, 2 below 1024)`,
    inputs: ["d_model"],
    source,
  };
}

export const headDim = (source: string): Default<number> => ({
  value: ({ d_model, heads: n }) => (d_model === undefined || n === undefined ? null : d_model / n),
  rule: "d_model / heads",
  inputs: ["d_model", "heads"],
  source,
});

/** As many keys and values as queries. */
export const allHeads = (source: string): Default<number> => same("heads", source);

/** Grouped queries (Ainslie et al., arXiv 2305.13245): so many key-value heads, or the most that divide the heads. */
export const grouped = (groups: number, source: string): Default<number> => ({
  value: ({ heads: n }) => (n === undefined ? null : shared(n, (kv) => (kv <= groups ? kv : 1 / kv))),
  rule: `${groups}, or the largest power of two below it that divides heads`,
  inputs: ["heads"],
  source,
});

/** So many query heads to a key-value head. */
export const sharing = (queries: number, source: string): Default<number> => ({
  value: ({ heads: n }) => (n === undefined ? null : shared(n, (kv) => -Math.abs(Math.log((kv * queries) / n)))),
  rule: `heads / ${queries}, or the nearest power of two that divides heads`,
  inputs: ["heads"],
  source,
});

/**
 * The best of the numbers of key-value heads that tensor-parallel ranks share out evenly, as many as they are: powers of two. Of an
 * odd number of heads, which no ranks share, any that divides it.
 */
function shared(n: number, worth: (kv: number) => number): number {
  const fit = divisors(n).filter((kv) => n % 2 !== 0 || Number.isInteger(Math.log2(kv)));
  return fit.reduce((best, kv) => (worth(kv) > worth(best) ? kv : best), 1);
}

export function same<P extends Property>(property: P, source: string): Default<never> {
  return {
    value: (draft) => (draft[property] ?? null) as never,
    rule: property,
    inputs: [property],
    source,
  };
}

/** A multiple of the width, rounded up so that matrix products stay aligned. */
export function wide(factor: number, source: string, text = String(Number(factor.toFixed(3)))): Default<number> {
  return {
    value: ({ d_model }) => (d_model === undefined ? null : rounded(factor * d_model, multiple(d_model))),
    rule: `${text} * d_model${Number.isInteger(factor) ? "" : ", rounded up to a multiple of 256 (64 below 1024, 32 below 256)"}`,
    inputs: ["d_model"],
    source,
  };
}

const multiple = (dModel: number): number => (dModel >= 1024 ? 256 : dModel >= 256 ? 64 : 32);

function rounded(value: number, step: number): number {
  return Number.isInteger(value) ? value : Math.ceil(value / step) * step;
}

/** A multiple of the width for a part of the model: experts, heads of a recurrence. */
export function of(
  inputs: readonly Property[],
  rule: string,
  value: (...inputs: readonly number[]) => number,
  source: string,
): Default<number> {
  return {
    value: (draft) => {
      const values = inputs.map((input) => draft[input]);
      return values.some((v) => typeof v !== "number") ? null : value(...(values as number[]));
    },
    rule,
    inputs,
    source,
  };
}

/** A pattern that repeats over the layers; a letter to a layer. */
export function repeating(unit: string, source: string): Default<string> {
  return {
    value: ({ layers }) =>
      layers === undefined ? null : unit.repeat(Math.ceil(layers / unit.length)).slice(0, layers),
    rule: `${unit}, repeated over the layers`,
    inputs: ["layers"],
    source,
  };
}

/** What wide models have, and what narrower ones have instead. */
export function fromWidth(from: number, wide: number, narrow: number, source: string): Default<number> {
  return {
    value: ({ d_model }) => (d_model === undefined ? null : d_model < from ? narrow : wide),
    rule: `${wide}, or ${narrow} below ${from}`,
    inputs: ["d_model"],
    source,
  };
}
