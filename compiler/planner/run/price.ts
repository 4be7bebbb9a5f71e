/** What a device-hour costs, where some machines may be reclaimed and are cheaper for that. */
import type { ClusterSpec } from "../../pipeline.ts";

type Priced = Pick<ClusterSpec, "price" | "spot" | "nodes">;

/** How many nodes are paid at which price. */
export function nodesByPrice({ price, spot, nodes }: Priced): {
  readonly kept: number;
  readonly spot: number;
} {
  if (spot === undefined || (spot.price === null && price !== null)) return { kept: nodes, spot: 0 };
  const kept = Math.min(nodes, spot.kept);
  return { kept, spot: nodes - kept };
}

/** Dollars of a device and hour on the average of all nodes; `null` where a price that counts is not known. */
export function priceOf(cluster: Priced): number | null {
  const { kept, spot } = nodesByPrice(cluster);
  const parts = [
    [kept, cluster.price],
    [spot, cluster.spot?.price ?? null],
  ] as const;
  if (parts.some(([nodes, price]) => nodes > 0 && price === null)) return null;
  return parts.reduce((sum, [nodes, price]) => sum + nodes * (price ?? 0), 0) / cluster.nodes;
}
