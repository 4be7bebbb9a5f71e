/** The sizer: a shape with a wanted number of parameters, under pins and bounds. */
import type { Draft, Family, Shape } from "../../models/family.ts";
import type { Bound, ModelRequest } from "../../pipeline.ts";
import { admits, admitsShape } from "./bounds.ts";
import { isUsual } from "./feed-forward.ts";
import { depthWithin, type Ideal, idealOf } from "./ideal.ts";
import { most } from "./most.ts";
import { type Knob, type Slope, type Slopes, slopesOf } from "./slope.ts";
import { uneven } from "./unevenness.ts";

export interface Candidate {
  readonly shape: Shape;
  readonly parameters: number;
  /** Fraction off the target. */
  readonly error: number;
  readonly score: number;
  /** The width of the MLP or of an expert, where it was moved off the family's rule to meet the target. */
  readonly tuned: Knob | null;
  /** The knob by the family's rule. */
  readonly ruled: number;
}

export interface Search {
  readonly best: Candidate | null;
  readonly closest: Candidate | null;
}

/** Steps of the width from well aligned to fine; a coarser step wins unless its shape is odder by `penalty`. */
export const grids: readonly { readonly penalty: number; readonly width: (d: number) => number }[] = [
  { penalty: 0, width: (d) => (d < 512 ? 64 : d < 2048 ? 128 : 256) },
  { penalty: 0.4, width: (d) => (d < 512 ? 32 : d < 4096 ? 64 : 128) },
  { penalty: 0.8, width: (d) => (d < 512 ? 8 : d < 4096 ? 32 : 128) },
];

/** Nobody builds models this many times wider or narrower than the published ones of their size. */
const oddest = 2;

/** Where what is written of depth and width leaves none within the knob's reach, the knob goes as far as published models do. */
export function search(
  family: Family,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  size: NonNullable<ModelRequest["size"]>,
): Search {
  const found = searchIn(family, pins, bounds, size, false);
  const isHeld = (name: "layers" | "d_model"): boolean => pins[name] !== undefined || bounds.has(name);
  if (found.best !== null || !isHeld("d_model") || !(isHeld("layers") || pins.pattern !== undefined)) return found;
  const forced = searchIn(family, pins, bounds, size, true);
  return forced.best === null ? found : forced;
}

function searchIn(
  family: Family,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  size: NonNullable<ModelRequest["size"]>,
  isForced: boolean,
): Search {
  let best: Candidate | null = null;
  let closest: Candidate | null = null;
  const slopesAt = slopesByWidth(family, pins, bounds, size.ranks);
  const slopeAt = (width: number): Slope | null => slopesAt(width)?.[size.which] ?? null;
  const ideal = idealWithin(family, pins, bounds, size.target, slopeAt);
  if (ideal === null) return { best, closest };
  for (const grid of grids) {
    if (best !== null && best.score <= grid.penalty) break;
    const usable = widthsNear(ideal, pins, bounds, size.target, grid.width)
      .map(slopeAt)
      .flatMap((slope) => (slope === null || slope.layer <= 0 ? [] : [slope]));
    const floor = ({ odd, width }: Slope): number => odd + wideness(width, ideal);
    for (const slope of usable.toSorted((a, b) => floor(a) - floor(b))) {
      const isOpen = (score: number): boolean => best === null || score + grid.penalty < best.score;
      for (const candidate of atWidth(slope, pins, bounds, size, ideal, isOpen, isForced)) {
        const scored = { ...candidate, score: candidate.score + grid.penalty };
        if (closest === null || Math.abs(scored.error) < Math.abs(closest.error)) closest = scored;
        if (Math.abs(scored.error) <= size.within && (best === null || scored.score < best.score)) best = scored;
      }
    }
  }
  return { best, closest };
}

/** Slopes by width, each taken once. */
export function slopesByWidth(
  family: Family,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  ranks = 1,
): (width: number) => Slopes | null {
  const taken = new Map<number, Slopes | null>();
  return (width) => {
    const known = taken.get(width);
    if (known !== undefined) return known;
    const slopes = slopesOf(family, { ...pins, d_model: width }, bounds, ranks);
    taken.set(width, slopes);
    return slopes;
  };
}

export function idealWithin(
  family: Family,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  target: number,
  slopeAt: (width: number) => Slope | null,
): Ideal | null {
  const depth = (width: number): number => depthWithin(family, pins, bounds, width);
  const far = ({ width, layers }: Ideal): number => Math.abs(Math.log(layers / depth(width)));
  let nearest: Ideal | null = null;
  // Where a coarse step has no width for what is written, or none as narrow, a finer one may.
  for (const { width } of grids) {
    const found = idealOf(target, [...widths(pins, bounds, target, width)], depth, slopeAt);
    if (found === null) continue;
    if (nearest === null || far(found) <= far(nearest)) nearest = found;
    if (far(nearest) < Math.log(1.5) && nearest.layers > 1) break;
  }
  return nearest;
}

export function widthsNear(
  ideal: Ideal,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  target: number,
  step: (d: number) => number = (d) => (d < 512 ? 64 : d < 2048 ? 128 : 256),
): readonly number[] {
  const all = [...widths(pins, bounds, target, step)];
  // Whoever lists widths wants one of them.
  if (bounds.get("d_model")?.oneOf != null) return all;
  return all.filter((width) => width >= ideal.width / oddest && width <= ideal.width * oddest);
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
  const listed = bounds.get("d_model")?.oneOf;
  if (listed != null) {
    const numbers = listed.filter((one): one is number => typeof one === "number");
    yield* numbers.filter((one) => admits(bounds.get("d_model"), one)).toSorted((a, b) => a - b);
    return;
  }
  // No published model is wider than three times its balanced width; a model holds at least 4 d_model^2.
  const limit = Math.max(64, Math.sqrt(target / 4) * 1.2);
  // Above 16384 the step grows with the width, 64 to an octave: the work does not grow with the target.
  const stride = (d: number): number => Math.max(step(d), 2 ** (Math.floor(Math.log2(d)) - 6));
  for (let d = step(1); d <= limit; d += stride(d)) {
    if (admits(bounds.get("d_model"), d)) yield d;
  }
}

/** As far as the knob goes from the family's rule where depth and width are open. */
const [least, widest] = [0.75, 1.34];

/** The shapes of one width near the target: for each depth the knob is solved for rather than tried, and then counted. */
function* atWidth(
  slope: Slope,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  size: NonNullable<ModelRequest["size"]>,
  ideal: Ideal,
  isOpen: (score: number) => boolean,
  isForced: boolean,
): Generator<Candidate> {
  const { knob, ruled, own, fixed, layer, each } = slope;
  const room = size.target - fixed;
  const pinned = pins.layers ?? pins.pattern?.length;
  // Where depth and width are written, the knob alone is left, and goes as far as it must.
  const forced = isForced || (pins.d_model !== undefined && pinned !== undefined);
  const depth = isForced ? bounds.get("layers") : undefined;

  function* shapes(): Generator<readonly [layers: number, inner: number]> {
    for (const layers of pinned === undefined ? around(Math.min(most.layers, room / layer), 1) : [pinned])
      yield [layers, ruled];
    if (knob === null || each <= 0) return;
    const lowest = Math.min(most.layers, Math.max(1, Math.floor(room / (layer + (widest - 1) * ruled * each))));
    const shallow = pinned ?? (depth === undefined ? lowest : (depth.min ?? 1));
    const ends = Math.ceil(room / Math.max(layer / 4, layer - (1 - least) * ruled * each));
    const deep = Math.max(shallow, pinned ?? Math.min(most.layers, depth?.max ?? ends));
    // A narrow width that is pinned can ask for as many layers as a file may write: some of them are looked at.
    const stride = Math.max(1, Math.floor((deep - shallow) / 1024));
    const depths = Array.from({ length: Math.floor((deep - shallow) / stride) + 1 }, (_, i) => shallow + i * stride);
    // What is best is soon known, and closes the rest.
    for (const layers of depths.toSorted((a, b) => deepness(a, ideal) - deepness(b, ideal))) {
      if (
        !isOpen(
          slope.odd + deepness(layers, ideal) + wideness(slope.width, ideal) + uneven.depth(layers, size.stages),
        )
      )
        continue;
      const linear = ruled + (room / layers - layer) / each;
      // Of kinds of layers that follow a pattern there are not as many for each layer.
      const solved =
        slope.isPatterned && linear > 0
          ? linear + (size.target - slope.counted(layers, Math.round(linear))[size.which]) / (each * layers)
          : linear;
      for (const step of stepsOf(slope)) for (const inner of around(solved, step)) yield [layers, inner];
    }
  }

  for (const [layers, inner] of shapes()) {
    if (knob !== null && !forced && (inner < least * ruled || inner > widest * ruled)) continue;
    if (knob !== null && isForced && !isUsual(knob, inner / slope.width)) continue;
    if (layers > most.layers && pinned === undefined) continue;
    if (!admits(bounds.get("layers"), layers) || (knob !== null && !admits(bounds.get(knob), inner))) continue;
    const hidden = ruled === 0 ? 1 : inner / ruled;
    const cut = slope.odd + (inner === ruled ? 0 : uneven.moved(slope, inner, size.ranks));
    const point = { layers, width: slope.width };
    // A shape may have a pattern with a letter for each layer: it is drawn for what can still be chosen.
    if (!isOpen(cut + oddness(point, ideal, hidden, 0, size))) continue;
    const shape = slope.shape(layers, inner);
    if (!admitsShape(bounds, shape)) continue;
    const parameters = slope.counted(layers, inner)[size.which];
    const error = parameters / size.target - 1;
    yield {
      shape,
      parameters,
      error,
      score: cut + oddness(point, ideal, hidden, error, size),
      tuned: inner === own ? null : knob,
      ruled,
    };
  }
}

/** The step of the knob. */
export const stepOf = (ruled: number): number => (ruled >= 4096 ? 128 : ruled >= 1024 ? 64 : 8);

/** From the steps that published widths come in to the finest. */
const stepsOf = ({ ruled, knob }: Slope): readonly number[] =>
  ruled < 1024 ? [64, 16, 8] : knob === "d_ff" && ruled >= 4096 ? [1024, 512, 256, 128] : [stepOf(ruled)];

/** The multiples of `step` on either side of a value, at least one step. */
export function around(value: number, step: number): Set<number> {
  const below = Math.floor(value / step) * step;
  return new Set([Math.max(step, below), Math.max(step, below + step)]);
}

/**
 * How far a shape is from what people build. Depth and width keep near the published curve, which rises with the count, and the MLP
 * gives first: a narrower one is rarer than a wider one.
 */
function oddness(
  { layers, width }: Ideal,
  ideal: Ideal,
  hidden: number,
  error: number,
  { within, stages }: Pick<NonNullable<ModelRequest["size"]>, "within" | "stages">,
): number {
  const inner = Math.log(hidden);
  const misfit = within > 0 ? Math.min(1, Math.abs(error) / within) : Math.abs(error);
  return (
    deepness(layers, ideal) +
    wideness(width, ideal) +
    (inner < 0 ? 2 : 1) * inner ** 2 +
    0.01 * misfit ** 2 +
    uneven.depth(layers, stages)
  );
}

const deepness = (layers: number, ideal: Ideal): number => 8 * Math.log(layers / ideal.layers) ** 2;
const wideness = (width: number, ideal: Ideal): number => 2 * Math.log(width / ideal.width) ** 2;
