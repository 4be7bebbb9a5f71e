/** Two counts of a mixture: what a token passes through decides width and depth, the rest is a number of experts. */
import type { Draft, Family } from "../../models/family.ts";
import { parametersOf } from "../../models/measure.ts";
import type { Bound, ModelRequest } from "../../pipeline.ts";
import { admits } from "./bounds.ts";
import { type Search, search } from "./search.ts";

/** Expert-parallel ranks share experts evenly: their number is a multiple of 8, of 4 or 2 where there are few. */
const stepOf = (experts: number): number => (experts >= 32 ? 8 : experts >= 8 ? 4 : experts >= 4 ? 2 : 1);

/**
 * Experts enter the active count through the router alone, so the number that the total asks for is solved for, and the
 * shape sought again with it. A total within reach is met; otherwise the closest is returned with nothing as best.
 */
export function searchWithExperts(
  family: Family,
  pins: Draft,
  bounds: ReadonlyMap<string, Bound>,
  size: NonNullable<ModelRequest["size"]>,
): Search {
  const { total } = size;
  if (total === undefined || pins["moe.experts"] !== undefined) return search(family, pins, bounds, size);
  let found = search(family, pins, bounds, size);
  let experts = 0;
  for (let round = 0; round < 3 && found.best !== null; round++) {
    const { shape } = found.best;
    const { moe } = shape;
    if (moe === undefined) return found;
    const counted = (n: number): number => parametersOf(family, { ...shape, moe: { ...moe, experts: n } }).total;
    const each = (counted(moe.experts + 8) - counted(moe.experts)) / 8;
    const wanted = moe.experts + (total - counted(moe.experts)) / each;
    const step = stepOf(wanted);
    const next = Math.max(moe.top_k, Math.round(wanted / step) * step);
    if (next === experts || !admits(bounds.get("moe.experts"), next)) break;
    experts = next;
    found = search(family, { ...pins, "moe.experts": experts }, bounds, size);
  }
  const best = found.best;
  // A whole number of experts is a coarse measure: half an expert's step is as near as it comes.
  const off = best === null ? 1 : Math.abs(parametersOf(family, best.shape).total / total - 1);
  const grain = best === null ? 0 : (stepOf(experts) / Math.max(1, experts)) * 0.5;
  return off <= Math.max(size.within, grain) ? found : { best: null, closest: found.best ?? found.closest };
}
