/** The sizer: a shape with a wanted number of parameters, under pins and bounds. */
import type { Family, Shape } from "../../models/family.ts";
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
    { penalty: 0.4, width: (d) => (d < 512 ? 32 : 64), tune: true },
    { penalty: 0.8, width: (d) => (d < 512 ? 8 : 32), tune: true },
  ];

export function search(
  family: Family,
  pins: Partial<Shape>,
  bounds: ReadonlyMap<string, Bound>,
  size: NonNullable<ModelRequest["size"]>,
): Search {
  let best: Candidate | null = null;
  let closest: Candidate | null = null;
  for (const grid of grids) {
    if (best !== null && best.score <= grid.penalty) break;
    for (const width of widths(pins, bounds, size.target, grid.width)) {
      for (const candidate of atWidth(family, { ...pins, d_model: width }, bounds, size, grid.tune)) {
        const scored = { ...candidate, score: candidate.score + grid.penalty };
        if (closest === null || Math.abs(scored.error) < Math.abs(closest.error)) closest = scored;
        if (Math.abs(scored.error) <= size.within && (best === null || scored.score < best.score)) best = scored;
      }
    }
  }
  return { best, closest };
}

function* widths(
  pins: Partial<Shape>,
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
  for (let d = step(1); d <= limit; d += step(d)) {
    if (admits(bounds.get("d_model"), d) && (pins.heads === undefined || d % pins.heads === 0)) yield d;
  }
}

function* atWidth(
  family: Family,
  pins: Partial<Shape>,
  bounds: ReadonlyMap<string, Bound>,
  size: NonNullable<ModelRequest["size"]>,
  tune: boolean,
): Generator<Candidate> {
  const base = complete(family, { ...pins, layers: pins.layers ?? 1 }, bounds)?.shape;
  if (base === undefined || !buildable(base)) return;
  const tunable = tune && pins.d_ff === undefined && pins.layers === undefined;
  const hidden = pins.d_ff === undefined && (tune || pins.layers !== undefined) ? around(base.d_ff) : [base.d_ff];
  for (const d_ff of tunable || pins.d_ff === undefined ? hidden : [base.d_ff]) {
    if (!admits(bounds.get("d_ff"), d_ff)) continue;
    const one = { ...base, d_ff, layers: 1 };
    const p1 = parametersOf(family, one)[size.which];
    const per = parametersOf(family, { ...one, layers: 2 })[size.which] - p1;
    const exact = 1 + (size.target - p1) / per;
    const depths = pins.layers === undefined ? [Math.floor(exact), Math.ceil(exact)] : [pins.layers];
    for (const layers of new Set(depths)) {
      if (layers < 1 || !admits(bounds.get("layers"), layers)) continue;
      const shape = { ...one, layers };
      const parameters = p1 + (layers - 1) * per;
      const error = parameters / size.target - 1;
      yield {
        shape,
        parameters,
        error,
        score: oddness(family, shape, base.d_ff, error, size.within),
        tuned: d_ff !== base.d_ff,
      };
    }
  }
}

/** Widths of the MLP near the family's rule: multiples of 64, of 8 for small models. */
function around(ruled: number): number[] {
  const step = ruled >= 1024 ? 64 : 8;
  const values = [ruled];
  for (let f = Math.ceil((0.75 * ruled) / step) * step; f <= 1.34 * ruled; f += step) if (f !== ruled) values.push(f);
  return values;
}

/** How far a shape is from what people build: the ratio of width to depth first, then the MLP, then the count. */
function oddness(family: Family, shape: Shape, ruled: number, error: number, within: number): number {
  const body = parametersOf(family, shape).non_embedding;
  const aspect = Math.log(shape.d_model / shape.layers / aspectOf(body).ratio);
  const hidden = Math.log(shape.d_ff / ruled);
  const misfit = within > 0 ? Math.min(1, Math.abs(error) / within) : Math.abs(error);
  return aspect ** 2 + 2 * hidden ** 2 + 0.05 * misfit ** 2;
}
