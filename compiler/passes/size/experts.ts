/** Two counts of a mixture: depth and width, the experts' width and their number are sought together, so that both are met. */
import type { Draft, Family } from "../../models/family.ts";
import type { Bound, ModelRequest } from "../../pipeline.ts";
import { admits, admitsShape } from "./bounds.ts";
import { depthWithin, type Ideal } from "./ideal.ts";
import {
  around,
  type Candidate,
  idealWithin,
  type Search,
  search,
  slopesByWidth,
  stepOf,
  widthsNear,
} from "./search.ts";
import type { Slope, Slopes } from "./slope.ts";
import { uneven } from "./unevenness.ts";

type Wanted = NonNullable<ModelRequest["size"]>;

/** Expert-parallel ranks share experts evenly: their number comes in steps that grow with it. */
const counts: readonly number[] = [
  [4, 8, 2],
  [8, 32, 4],
  [32, 128, 8],
  [128, 512, 16],
  [512, 2049, 64],
].flatMap(([from = 0, to = 0, step = 1]) => Array.from({ length: (to - from) / step }, (_, i) => from + i * step));

/** No published mixture sends a token to more than half of its experts. */
const sparsest = 2;

/** As far as an expert's width goes from the family's rule: granularity is the freest choice (Krajewski et al., arXiv 2402.07871). */
const [narrowest, widest] = [0.5, 2];

export function searchWithExperts(
  family: Family,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  size: Wanted,
): Search {
  const { total } = size;
  if (total === undefined || family.defaults["moe.experts"] === undefined) return search(family, pins, bounds, size);
  const [experts, usual] = usualExperts(family, pins, bounds, size);
  const byCloseness = topsOf(pins, bounds).toSorted(
    (a, b) => Math.abs(Math.log(a / usual)) - Math.abs(Math.log(b / usual)),
  );
  let found: Found = { best: null, closest: null };
  for (const top of byCloseness) {
    const among = expertsOf(pins, bounds, top);
    const first = { ...pins, "moe.experts": among[0] ?? experts, "moe.top_k": top };
    // Experts enter the active count through the router alone.
    const slopesAt = slopesByWidth(family, first, bounds, size.ranks);
    const ideal = idealWithin(family, first, bounds, size.target, (width) => slopesAt(width)?.active ?? null);
    if (ideal === null) continue;
    for (const n of among) {
      const held = { ...pins, "moe.experts": n, "moe.top_k": top };
      const odd = 0.1 * Math.log(n / experts) ** 2 + 0.3 * Math.log(top / usual) ** 2;
      if (found.best !== null && found.best.score <= odd) continue;
      found = joint(family, held, bounds, { ...size, total }, { odd, ideal, times: usual / top }, found);
    }
    if (found.best !== null) break;
  }
  return found;
}

/**
 * So many experts to a token. A router that weighs only what it chose learns nothing from a choice of one, and engines refuse it: one is
 * for who asks for it.
 */
function topsOf(pins: Draft, bounds: ReadonlyMap<string, Bound>): readonly number[] {
  if (pins["moe.top_k"] !== undefined) return [pins["moe.top_k"]];
  const admitted = [1, 2, 4, 6, 8, 16].filter((top) => admits(bounds.get("moe.top_k"), top));
  const several = admitted.filter((top) => top > 1);
  return several.length > 0 ? several : admitted;
}

/** Numbers of experts that a file leaves open, for as many to a token. */
function expertsOf(pins: Draft, bounds: ReadonlyMap<string, Bound>, top: number): readonly number[] {
  const pinned = pins["moe.experts"];
  if (pinned !== undefined) return [pinned];
  const bound = bounds.get("moe.experts");
  const open = [...counts, ...(bound?.oneOf ?? []).filter((n): n is number => typeof n === "number")];
  return [...new Set(open)].filter((n) => n >= sparsest * top && admits(bound, n)).toSorted((a, b) => a - b);
}

/** The fewest and the most parameters that mixtures with so many active ones have in all. */
export function totalsOf(
  family: Family,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  size: Wanted,
): readonly [Candidate, Candidate] | null {
  const among = expertsOf(pins, bounds, pins["moe.top_k"] ?? usualExperts(family, pins, bounds, size)[1]);
  const ends = [among[0], among.at(-1)].map((n) =>
    n === undefined ? null : search(family, { ...pins, "moe.experts": n }, bounds, size).best,
  );
  const [least, most] = ends;
  return least === null || least === undefined || most === null || most === undefined ? null : [least, most];
}

interface Counted extends Candidate {
  readonly total: number;
  /** The larger of both errors. */
  readonly off: number;
}

interface Found {
  readonly best: Counted | null;
  readonly closest: Counted | null;
}

interface Aim {
  readonly odd: number;
  readonly ideal: Ideal;
  /** Half as many experts to a token are twice as wide: a token passes through as much as in the family. */
  readonly times: number;
}

/** Both counts are linear in depth and in depth times the experts' width: two equations, solved and then counted. */
function joint(
  family: Family,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  size: Wanted & { readonly total: number },
  { odd, ideal, times }: Aim,
  { best, closest }: Found,
): Found {
  const slopesAt = slopesByWidth(family, pins, bounds, size.ranks);
  const widths = widthsNear(ideal, pins, bounds, size.target);
  // So many experts ask for about the same granularity at each width: a few tell whether it is anywhere near the family's.
  const few = [0, 0.25, 0.5, 0.75, 1].map((at) => widths[Math.round(at * (widths.length - 1))] ?? 0);
  if (!few.some((width) => isNear(grainOf(slopesAt(width), size, times)))) return { best, closest };
  for (const width of widths) {
    const slopes = slopesAt(width);
    if (slopes === null || slopes.active.layer <= 0) continue;
    const { active } = slopes;
    if (best !== null && odd + active.odd >= best.score) continue;
    const usual = active.ruled * times;
    const usualDepth = depthWithin(family, pins, bounds, width);
    for (const [layers, inner] of solutions(slopes, pins, size)) {
      if (inner < narrowest * usual || inner > widest * usual) continue;
      if (!admits(bounds.get("layers"), layers)) continue;
      if (active.knob !== null && !admits(bounds.get(active.knob), inner)) continue;
      const depth = Math.log(layers / usualDepth);
      const grain = active.ruled === 0 ? 0 : Math.log(inner / usual);
      const score =
        odd +
        2 * depth ** 2 +
        grain ** 2 +
        active.odd +
        uneven.depth(layers) +
        uneven.experts(inner, pins["moe.experts"] ?? 1);
      if (best !== null && score >= best.score) continue;
      const shape = active.shape(layers, inner);
      if (!admitsShape(bounds, shape)) continue;
      const { active: parameters, total: all } = active.counted(layers, inner);
      const error = parameters / size.target - 1;
      const off = Math.max(Math.abs(error), Math.abs(all / size.total - 1));
      const tuned = inner === active.ruled ? null : active.knob;
      const candidate = { shape, parameters, error, score, tuned, ruled: active.ruled, total: all, off };
      if (closest === null || off < closest.off) closest = candidate;
      if (off <= size.within) best = candidate;
    }
  }
  return { best, closest };
}

/** How many times as wide as the family's rule experts are where both counts are met. */
function grainOf(
  slopes: Slopes | null,
  { target, total: all }: Wanted & { readonly total: number },
  times: number,
): number {
  if (slopes === null) return 0;
  const { active, total } = slopes;
  if (active.knob === null) return 1;
  const rest = (slope: Slope): number => slope.layer - slope.each * slope.ruled;
  const [a, t] = [target - active.fixed, all - total.fixed];
  return (rest(active) * t - rest(total) * a) / (a * total.each - t * active.each) / (active.ruled * times);
}

const isNear = (grain: number): boolean => grain > narrowest / 2 && grain < widest * 2;

/** Depths next to the one that meets both counts, each with the experts' widths that meet the total there. */
function* solutions(
  { active, total }: Slopes,
  pins: Draft,
  size: Wanted & { readonly total: number },
): Generator<readonly [layers: number, inner: number]> {
  const { ruled, knob } = active;
  const rest = (slope: Slope): number => slope.layer - slope.each * ruled;
  const [a, t] = [size.target - active.fixed, size.total - total.fixed];
  const determinant = rest(active) * total.each - rest(total) * active.each;
  const pinned = pins.layers ?? pins.pattern?.length;
  // With nothing to turn, depth alone meets the one count or the other.
  const solved =
    knob === null || determinant === 0 ? a / active.layer : (a * total.each - t * active.each) / determinant;
  if (pinned === undefined && !(solved >= 1)) return;
  const depths = pinned === undefined ? near(solved) : [pinned];
  for (const layers of depths) {
    if (knob === null || total.each <= 0) yield [layers, ruled];
    else {
      const inner = (t / layers - rest(total)) / total.each;
      if (inner <= 0) continue;
      for (const step of [64, stepOf(ruled), 8]) for (const one of around(inner, step)) yield [layers, one];
    }
  }
}

/** Depths around one: what rounds it, and what stages share evenly. */
function near(depth: number): Set<number> {
  const few = Math.max(1, Math.round(depth * 0.05));
  const found = new Set([...around(depth, 1), ...around(depth, 2), ...around(depth, 4)]);
  for (let off = -few; off <= few; off++) found.add(Math.max(1, Math.round(depth) + off));
  return found;
}

/** How many experts, and how many to a token, the family has where models with so many active parameters are. */
function usualExperts(
  family: Family,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  size: Wanted,
): readonly [experts: number, top: number] {
  const slopesAt = slopesByWidth(family, pins, bounds, size.ranks);
  const ideal = idealWithin(family, pins, bounds, size.target, (width) => slopesAt(width)?.active ?? null);
  const usual = (property: "moe.experts" | "moe.top_k"): number => {
    const said = family.defaults[property]?.value;
    const value = typeof said === "function" ? said(ideal === null ? {} : { d_model: ideal.width }) : said;
    return typeof value === "number" ? value : 1;
  };
  return [usual("moe.experts"), usual("moe.top_k")];
}
