/** The depth and width that the published shapes say a count has, before anything is aligned. */
import type { Draft, Family } from "../../models/family.ts";
import type { Bound } from "../../pipeline.ts";
import { depthOf } from "./ladder.ts";
import type { Slope } from "./slope.ts";

export interface Ideal {
  readonly layers: number;
  readonly width: number;
}

/** How deep a model of a width is built, where the file leaves that open. */
export function depthWithin(family: Family, pins: Draft, bounds: ReadonlyMap<string, Bound>, width: number): number {
  const pinned = pins.layers ?? pins.pattern?.length;
  if (pinned !== undefined) return pinned;
  const bound = bounds.get("layers");
  return Math.min(Math.max(depthOf(family, width).layers, bound?.min ?? 1), bound?.max ?? Infinity);
}

/**
 * The point of the published curve that has the target. Both its depth and its width grow with the target, so shapes that keep near it
 * do too. Where width cannot follow, depth has to.
 */
export function idealOf(
  target: number,
  widths: readonly number[],
  depth: (width: number) => number,
  slopeAt: (width: number) => Slope | null,
): Ideal | null {
  const built = (only: (slope: Slope) => boolean): Ideal | null => {
    let below: (Ideal & { readonly count: number }) | null = null;
    for (const width of widths) {
      const slope = slopeAt(width);
      if (slope === null || slope.layer <= 0 || !only(slope)) continue;
      const layers = depth(width);
      const count = slope.fixed + layers * slope.layer;
      if (count >= target) {
        if (below === null) return { width, layers: Math.max(1, (target - slope.fixed) / slope.layer) };
        const t = Math.log(target / below.count) / Math.log(count / below.count);
        return {
          width: below.width * (width / below.width) ** t,
          layers: below.layers * (layers / below.layers) ** t,
        };
      }
      below = { width, layers, count };
    }
    const last = below === null ? null : slopeAt(below.width);
    return below === null || last === null
      ? null
      : { width: below.width, layers: Math.max(1, (target - last.fixed) / last.layer) };
  };
  const even = built(({ odd }) => odd === 0);
  const any = built(() => true);
  if (even === null || any === null) return even ?? any;
  // Heads that were written may come out even in narrow or wide models alone, which is no reason to build one.
  return Math.abs(Math.log(even.width / any.width)) <= Math.log(Math.SQRT2) ? even : any;
}
