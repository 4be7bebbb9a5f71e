/** The sizer: a shape with a wanted number of parameters, under pins and bounds. */
import type { Draft, Family, Shape } from "../../models/family.ts";
import { parametersOf } from "../../models/measure.ts";
import type { Bound, ModelRequest } from "../../pipeline.ts";
import { admits } from "./bounds.ts";
import { complete } from "./complete.ts";
import { aspectOf } from "./ladder.ts";
import { buildable } from "./violations.ts";

export interface Candidate {
  readonly shape: Shape;
  readonly parameters: number;
  /** Fraction off the target. */
  readonly error: number;
  readonly score: number;
  /** True when the width of the MLP was moved off the family's rule to meet the target. */
  readonly tuned: boolean;
}

export interface Search {
  readonly best: Candidate | null;
  readonly closest: Candidate | null;
}

/** Steps of the search from well aligned to fine; a coarser step wins unless its shape is odder by `penalty`. */
const grids: readonly { readonly penalty: number; readonly width: (d: number) => number; readonly tune: boolean }[] =
  [
    { penalty: 0, width: (d) => (d < 512 ? 64 : d < 2048 ? 128 : 256), tune: false },
    { penalty: 0.15, width: (d) => (d < 512 ? 64 : d < 2048 ? 128 : 256), tune: true },
    { penalty: 0.4, width: (d) => (d < 512 ? 32 : d < 4096 ? 64 : 128), tune: true },
    { penalty: 0.8, width: (d) => (d < 512 ? 8 : d < 4096 ? 32 : 128), tune: true },
  ];

/** Nobody builds models this many times wider or deeper than the published ones of their size. */
const oddest = 12;

export function search(
  family: Family,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  size: NonNullable<ModelRequest["size"]>,
): Search {
  let best: Candidate | null = null;
  let closest: Candidate | null = null;
  const free = pins.d_model === undefined && pins.layers === undefined;
  for (const grid of grids) {
    if (best !== null && best.score <= grid.penalty) break;
    for (const width of widths(pins, bounds, size.target, grid.width)) {
      for (const candidate of atWidth(family, { ...pins, d_model: width }, bounds, size, grid.tune, free)) {
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
  // No published model is wider than three times its balanced width; one layer holds at least 8 d_model^2.
  const limit = Math.max(64, Math.sqrt(target / 8) * 1.2);
  // Above 16384 the step grows with the width, 64 to an octave: the work does not grow with the target.
  const stride = (d: number): number => Math.max(step(d), 2 ** (Math.floor(Math.log2(d)) - 6));
  for (let d = step(1); d <= limit; d += stride(d)) {
    if (admits(bounds.get("d_model"), d) && (pins.heads === undefined || d % pins.heads === 0)) yield d;
  }
}

/**
 * The shapes of one width near the target. Parameters are linear in depth, and in the MLP's width at each depth:
 * `fixed + layers * (rest + slope * d_ff)`, so both are solved for rather than tried.
 */
function* atWidth(
  family: Family,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  size: NonNullable<ModelRequest["size"]>,
  tune: boolean,
  free: boolean,
): Generator<Candidate> {
  const base = complete(family, { ...pins, layers: pins.layers ?? 1 }, bounds)?.shape;
  if (base === undefined || !buildable(base)) return;
  const counted = (layers: number, d_ff: number): number =>
    parametersOf(family, { ...base, layers, d_ff })[size.which];
  const ruled = base.d_ff;
  const { embedding } = parametersOf(family, base);
  const once = counted(1, ruled);
  const layer = counted(2, ruled) - once;
  const slope = counted(1, ruled + 1) - once;
  const fixed = once - layer;
  const room = size.target - fixed;
  const odd = Math.abs(Math.log(base.d_model / (room / layer) / aspectOf(size.target).ratio)) > Math.log(oddest);
  if (free && odd) return;

  function* shapes(): Generator<readonly [layers: number, d_ff: number]> {
    const depth = room / layer;
    for (const layers of pins.layers === undefined ? around(depth, 1) : [pins.layers]) yield [layers, ruled];
    if (pins.d_ff !== undefined || (!tune && pins.layers === undefined)) return;
    const step = ruled >= 1024 ? 64 : 8;
    const least = pins.layers ?? Math.max(1, Math.floor(room / (layer + 0.34 * ruled * slope)));
    const most = pins.layers ?? Math.ceil(room / (layer - 0.25 * ruled * slope));
    // A narrow width that is pinned can ask for millions of layers: some of them are looked at.
    const stride = Math.max(1, Math.floor((most - least) / 1024));
    for (let layers = least; layers <= most; layers += stride) {
      for (const d_ff of around(ruled + (room / layers - layer) / slope, step)) yield [layers, d_ff];
    }
  }

  for (const [layers, d_ff] of shapes()) {
    if (d_ff < 0.75 * ruled || d_ff > 1.34 * ruled) continue;
    if (!admits(bounds.get("layers"), layers) || !admits(bounds.get("d_ff"), d_ff)) continue;
    const shape = { ...base, layers, d_ff };
    const parameters = fixed + layers * (layer + slope * (d_ff - ruled));
    const error = parameters / size.target - 1;
    yield {
      shape,
      parameters,
      error,
      score: oddness(shape, parameters - embedding, ruled, error, size.within),
      tuned: d_ff !== ruled,
    };
  }
}

/** The multiples of `step` on either side of a value, at least one step. */
function around(value: number, step: number): Set<number> {
  const below = Math.floor(value / step) * step;
  return new Set([Math.max(step, below), Math.max(step, below + step)]);
}

/** How far a shape is from what people build: the ratio of width to depth first, then the MLP, then the count. */
function oddness(shape: Shape, body: number, ruled: number, error: number, within: number): number {
  const aspect = Math.log(shape.d_model / shape.layers / aspectOf(body).ratio);
  const hidden = Math.log(shape.d_ff / ruled);
  const misfit = within > 0 ? Math.min(1, Math.abs(error) / within) : Math.abs(error);
  // Kernels want heads of a multiple of 8, clusters an even number of layers.
  const uneven = (shape.head_dim % 8 === 0 ? 0 : 0.5) + (shape.layers % 2 === 0 ? 0 : 0.02);
  return aspect ** 2 + 2 * hidden ** 2 + 0.05 * misfit ** 2 + uneven;
}
