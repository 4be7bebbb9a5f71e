import type { Preference } from "../../pipeline.ts";
import type { Estimate } from "./estimate.ts";

/** Estimates on other numbers of nodes that come so close to the best are as good: they cannot be told apart. */
export const tolerance = 1.03;

/** By what sizes are chosen, and by what of those that are as good. */
export const orders = {
  cheapest: ["deviceHours", "hours"],
  fastest: ["hours", "nodes"],
  fewest: ["nodes", null],
} as const;

/**
 * Of those that keep what stages may take most surely: the fewest device-hours, where several are as good the least time; the least time,
 * where several are as good the fewest nodes; or the fewest nodes. Where none keeps it, the one that is least beyond it.
 */
export function preferred(found: readonly Estimate[], prefer: Preference): Estimate | null {
  const rank = Math.min(...found.map((one) => one.rank));
  const able = found.filter((one) => one.rank === rank);
  const least = (of: keyof Estimate, among: readonly Estimate[]): Estimate | null =>
    among.reduce<Estimate | null>(
      (best, one) =>
        best === null || Number(one[of]) < Number(best[of]) || (one[of] === best[of] && one.nodes < best.nodes)
          ? one
          : best,
      null,
    );
  if (rank === 2) return least("over", able);
  const [first, then] = orders[prefer];
  const best = least(first, able);
  if (best === null || then === null) return best;
  const limit = tolerance * best[first];
  return least(
    then,
    able.filter((one) => one[first] <= limit),
  );
}
