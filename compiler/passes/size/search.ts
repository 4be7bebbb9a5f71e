/** The sizer: a shape with a wanted number of parameters, under pins and bounds. */
import type { Draft, Family, Property, Shape } from "../../models/family.ts";
import { parametersOf } from "../../models/measure.ts";
import type { Bound, ModelRequest } from "../../pipeline.ts";
import { admits } from "./bounds.ts";
import { complete } from "./complete.ts";
import { depthOf } from "./ladder.ts";
import { unevenness } from "./unevenness.ts";
import { buildable } from "./violations.ts";

export interface Candidate {
  readonly shape: Shape;
  readonly parameters: number;
  /** Fraction off the target. */
  readonly error: number;
  readonly score: number;
  /** The width of the MLP or of an expert, where it was moved off the family's rule to meet the target. */
  readonly tuned: Knob | null;
}

export interface Search {
  readonly best: Candidate | null;
  readonly closest: Candidate | null;
}

/** What the sizer turns when no depth and width meet the target by themselves. */
export type Knob = "d_ff" | "moe.d_ff";

/** Steps of the search from well aligned to fine; a coarser step wins unless its shape is odder by `penalty`. */
const grids: readonly { readonly penalty: number; readonly width: (d: number) => number; readonly tune: boolean }[] =
  [
    { penalty: 0, width: (d) => (d < 512 ? 64 : d < 2048 ? 128 : 256), tune: false },
    { penalty: 0.15, width: (d) => (d < 512 ? 64 : d < 2048 ? 128 : 256), tune: true },
    { penalty: 0.4, width: (d) => (d < 512 ? 32 : d < 4096 ? 64 : 128), tune: true },
    { penalty: 0.8, width: (d) => (d < 512 ? 8 : d < 4096 ? 32 : 128), tune: true },
  ];

/** Nobody builds models this many times deeper or shallower than the published ones of their width. */
const oddest = 12;

export function search(
  family: Family,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  size: NonNullable<ModelRequest["size"]>,
): Search {
  let best: Candidate | null = null;
  let closest: Candidate | null = null;
  const free = pins.d_model === undefined && pins.layers === undefined && pins.pattern === undefined;
  // Where depth and width are written, the knob alone is left, and goes as far as it must.
  const forced = pins.d_model !== undefined && (pins.layers ?? pins.pattern) !== undefined;
  for (const grid of grids) {
    if (best !== null && best.score <= grid.penalty) break;
    for (const width of widths(pins, bounds, size.target, grid.width)) {
      for (const candidate of atWidth(family, { ...pins, d_model: width }, bounds, size, grid.tune, {
        free,
        forced,
      })) {
        const scored = { ...candidate, score: candidate.score + grid.penalty };
        if (closest === null || Math.abs(scored.error) < Math.abs(closest.error)) closest = scored;
        if (Math.abs(scored.error) <= size.within && (best === null || scored.score < best.score)) best = scored;
      }
    }
  }
  return { best, closest };
}

function* widths(
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  target: number,
  step: (d: number) => number,
): Generator<number> {
  if (pins.d_model !== undefined) {
    yield pins.d_model;
    return;
  }
  // No published model is wider than three times its balanced width; a model holds at least 4 d_model^2.
  const limit = Math.max(64, Math.sqrt(target / 4) * 1.2);
  // Above 16384 the step grows with the width, 64 to an octave: the work does not grow with the target.
  const stride = (d: number): number => Math.max(step(d), 2 ** (Math.floor(Math.log2(d)) - 6));
  for (let d = step(1); d <= limit; d += stride(d)) {
    if (admits(bounds.get("d_model"), d) && (pins.heads === undefined || pins.heads === 0 || d % pins.heads === 0)) {
      yield d;
    }
  }
}

/** A width's shapes by depth and by the knob, with their counts. */
interface Slope {
  readonly shape: (layers: number, inner: number) => Shape;
  readonly counted: (layers: number, inner: number) => number;
  readonly ruled: number;
  /** Parameters outside the layers, of a layer, and of a layer for each unit of the knob. */
  readonly fixed: number;
  readonly layer: number;
  readonly each: number;
}

/** Widest group of layers that repeats in a family's pattern: slopes are taken over it. */
const period = 12;

function slopeOf(
  family: Family,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  which: "total" | "active",
  knob: Knob | null,
): Slope | null {
  const pinned = pins.layers ?? pins.pattern?.length;
  const start = pinned ?? Math.max(period, Math.round(depthOf(family, pins.d_model ?? 1).layers));
  const base = complete(family, { ...pins, layers: start }, bounds)?.shape;
  if (base === undefined || !buildable(base)) return null;
  const pattern = pins.pattern === undefined ? family.defaults["pattern"]?.value : undefined;
  const expertFollows = family.defaults["moe.d_ff"]?.rule === "d_ff" && pins["moe.d_ff"] === undefined;
  const ruled = knob === null ? 0 : knob === "d_ff" ? base.d_ff : (base.moe?.d_ff ?? 0);
  const shape = (layers: number, inner: number): Shape => ({
    ...base,
    layers,
    ...(typeof pattern === "function" ? { pattern: String(pattern({ layers })) } : {}),
    ...(knob === "d_ff" ? { d_ff: inner } : {}),
    ...(base.moe !== undefined && (knob === "moe.d_ff" || (knob === "d_ff" && expertFollows))
      ? {
          moe: {
            ...base.moe,
            d_ff: inner,
            ...(base.moe.shared_d_ff === base.moe.d_ff ? { shared_d_ff: inner } : {}),
          },
        }
      : {}),
  });
  const counted = (layers: number, inner: number): number => parametersOf(family, shape(layers, inner))[which];
  const once = counted(start, ruled);
  const layer = pinned === undefined ? (counted(start + period, ruled) - once) / period : once / start;
  const each = knob === null ? 0 : (counted(start, ruled + 64) - once) / 64 / start;
  return { shape, counted, ruled, fixed: pinned === undefined ? once - start * layer : 0, layer, each };
}

/**
 * The shapes of one width near the target. Parameters are nearly linear in depth, and in the knob at each depth:
 * `fixed + layers * (rest + each * inner)`, so both are solved for rather than tried, and then counted.
 */
function* atWidth(
  family: Family,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  size: NonNullable<ModelRequest["size"]>,
  tune: boolean,
  { free, forced }: { readonly free: boolean; readonly forced: boolean },
): Generator<Candidate> {
  const knob = knobOf(family, pins);
  const slope = slopeOf(family, pins, bounds, size.which, knob);
  if (slope === null || slope.layer <= 0) return;
  const { ruled, fixed, layer, each } = slope;
  const wanted = depthOf(family, pins.d_model ?? 1).layers;
  const room = size.target - fixed;
  if (free && Math.abs(Math.log(Math.max(1e-9, room / layer) / wanted)) > Math.log(oddest)) return;
  const pinned = pins.layers ?? pins.pattern?.length;

  function* shapes(): Generator<readonly [layers: number, inner: number]> {
    for (const layers of pinned === undefined ? around(room / layer, 1) : [pinned]) yield [layers, ruled];
    if (knob === null || each <= 0 || (!tune && pinned === undefined)) return;
    const step = ruled >= 4096 ? 128 : ruled >= 1024 ? 64 : 8;
    const least = pinned ?? Math.max(1, Math.floor(room / (layer + 0.34 * ruled * each)));
    const most = pinned ?? Math.ceil(room / Math.max(layer / 4, layer - 0.25 * ruled * each));
    // A narrow width that is pinned can ask for millions of layers: some of them are looked at.
    const stride = Math.max(1, Math.floor((most - least) / 1024));
    for (let layers = least; layers <= most; layers += stride) {
      for (const inner of around(ruled + (room / layers - layer) / each, step)) yield [layers, inner];
    }
  }

  for (const [layers, inner] of shapes()) {
    if (knob !== null && !forced && (inner < 0.75 * ruled || inner > 1.34 * ruled)) continue;
    if (!admits(bounds.get("layers"), layers) || (knob !== null && !admits(bounds.get(knob), inner))) continue;
    const parameters = slope.counted(layers, inner);
    const error = parameters / size.target - 1;
    const shape = slope.shape(layers, inner);
    yield {
      shape,
      parameters,
      error,
      score: oddness(shape, wanted, ruled === 0 ? 1 : inner / ruled, error, size.within),
      tuned: inner === ruled ? null : knob,
    };
  }
}

/** The feed-forward part's width; where most layers have experts with a width of their own, theirs. */
function knobOf(family: Family, pins: Draft): Knob | null {
  const own = family.defaults["moe.d_ff"];
  const hybrid = family.defaults["pattern"] !== undefined && !family.layers.some(({ place }) => place === "moe");
  const knob: Property = own === undefined || own.rule === "d_ff" || hybrid ? "d_ff" : "moe.d_ff";
  return pins[knob] !== undefined || family.fixed[knob] !== undefined ? null : knob;
}

/** The multiples of `step` on either side of a value, at least one step. */
function around(value: number, step: number): Set<number> {
  const below = Math.floor(value / step) * step;
  return new Set([Math.max(step, below), Math.max(step, below + step)]);
}

/** How far a shape is from what people build: the ratio of width to depth first, then the MLP, then the count. */
function oddness(shape: Shape, wanted: number, hidden: number, error: number, within: number): number {
  const aspect = Math.log(shape.layers / wanted);
  const misfit = within > 0 ? Math.min(1, Math.abs(error) / within) : Math.abs(error);
  return 2 * aspect ** 2 + 2 * Math.log(hidden) ** 2 + 0.05 * misfit ** 2 + unevenness(shape);
}
