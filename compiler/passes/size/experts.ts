/** Two counts of a mixture: depth and width, the experts' width and their number are sought together, so that both are met. */
import type { Draft, Family } from "../../models/family.ts";
import type { Bound, ModelRequest } from "../../pipeline.ts";
import { admits, admitsShape } from "./bounds.ts";
import { depthWithin, type Ideal } from "./ideal.ts";
import { amongUsual } from "./feed-forward.ts";
import {
  around,
  type Candidate,
  grids,
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

/**
 * As far as an expert's width goes from the family's rule, beside widths that are published of any: granularity is the freest choice
 * (Krajewski et al., arXiv 2402.07871).
 */
const [narrowest, widest] = [0.5, 2];

/** Another number of experts to a token than the family has is for depths and widths that are far from published ones. */
const another = 0.5;

/** Depth and width of published mixtures keep as near to their curve as those of dense models do: 16 x 2048 (OLMoE, arXiv 2409.02060) to 61 x 7168. */
const deepness = 8;

export function searchWithExperts(
  family: Family,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  size: Wanted,
  isForced = false,
): Search {
  const { total } = size;
  if (total === undefined || family.defaults["moe.experts"] === undefined) return search(family, pins, bounds, size);
  const [experts, usual] = usualExperts(family, pins, bounds, size);
  const byCloseness = topsOf(pins, bounds).toSorted(
    (a, b) => Math.abs(Math.log(a / usual)) - Math.abs(Math.log(b / usual)),
  );
  let found: Found = { best: null, closest: null };
  for (const { width: step } of grids) {
    for (const top of byCloseness) {
      const odd = top === usual ? 0 : another + 0.3 * Math.log(top / usual) ** 2;
      if (found.best !== null && found.best.score <= odd) continue;
      const among = expertsOf(pins, bounds, top);
      const first = { ...pins, "moe.experts": among[0] ?? experts, "moe.top_k": top };
      // Experts enter the active count through the router alone.
      const slopesAt = slopesByWidth(family, first, bounds, size.ranks);
      const ideal = idealWithin(family, first, bounds, size.target, (width) => slopesAt(width)?.active ?? null);
      if (ideal === null) continue;
      const oddOf = (n: number): number => odd + 0.1 * Math.log(n / experts) ** 2;
      // What is best is soon known, and closes the rest.
      for (const n of among.toSorted((a, b) => oddOf(a) - oddOf(b))) {
        const held = { ...pins, "moe.experts": n, "moe.top_k": top };
        if (found.best !== null && found.best.score <= oddOf(n)) break;
        found = joint(family, held, bounds, { ...size, total }, { odd: oddOf(n), ideal, step, isForced }, found);
      }
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
  /** Widths in steps of this one. */
  readonly step: (d: number) => number;
  /** Experts may be as wide as both counts ask for. */
  readonly isForced: boolean;
}

/** Both counts are linear in depth and in depth times the experts' width: two equations, solved and then counted. */
function joint(
  family: Family,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  size: Wanted & { readonly total: number },
  { odd, ideal, step, isForced }: Aim,
  { best, closest }: Found,
): Found {
  const slopesAt = slopesByWidth(family, pins, bounds, size.ranks);
  const widths = widthsNear(ideal, pins, bounds, size.target, step);
  // So many experts ask for about the same granularity at each width: a few tell whether it is anywhere near the family's.
  const few = [0, 0.25, 0.5, 0.75, 1].map((at) => widths[Math.round(at * (widths.length - 1))] ?? 0);
  if (!isForced && !few.some((width) => isNear(slopesAt(width), size))) return { best, closest };
  for (const width of widths) {
    const slopes = slopesAt(width);
    if (slopes === null || slopes.active.layer <= 0) continue;
    const { active } = slopes;
    if (best !== null && odd + active.odd >= best.score) continue;
    const usual = active.ruled;
    const usualDepth = depthWithin(family, pins, bounds, width);
    for (const [layers, inner] of solutions(slopes, pins, size)) {
      if (!isForced && active.knob !== null && !isReached(inner, usual, width)) continue;
      if (!admits(bounds.get("layers"), layers)) continue;
      if (active.knob !== null && !admits(bounds.get(active.knob), inner)) continue;
      const depth = Math.log(layers / usualDepth);
      const grain = usual === 0 ? 0 : Math.log(inner / usual);
      const score =
        odd +
        deepness * depth ** 2 +
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
      const tuned = inner === active.own ? null : active.knob;
      const candidate = { shape, parameters, error, score, tuned, ruled: active.ruled, total: all, off };
      if (closest === null || off < closest.off) closest = candidate;
      if (off <= size.within) best = candidate;
    }
  }
  return { best, closest };
}

const isReached = (inner: number, usual: number, width: number): boolean =>
  (inner >= narrowest * usual && inner <= widest * usual) || inner === amongUsual("moe.d_ff", inner, width);

/** Whether experts are about as wide as they may be where both counts are met. */
function isNear(slopes: Slopes | null, { target, total: all }: Wanted & { readonly total: number }): boolean {
  if (slopes === null) return false;
  const { active, total } = slopes;
  if (active.knob === null) return true;
  const rest = (slope: Slope): number => slope.layer - slope.each * slope.ruled;
  const [a, t] = [target - active.fixed, all - total.fixed];
  const inner = (rest(active) * t - rest(total) * a) / (a * total.each - t * active.each);
  return [0.5, 1, 2].some((times) => isReached(inner * times, active.ruled, active.width));
}

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
