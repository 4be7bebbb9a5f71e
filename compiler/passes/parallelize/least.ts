/** The fewest devices of a cluster's kind that hold a model which it does not. */
import type { Settings } from "../../pipeline.ts";
import { find } from "../../planner/search/find.ts";
import { worldOf, type Setting } from "../../planner/setting.ts";

/** No cluster of this many devices was ever built. */
const largest = 2 ** 17;

/**
 * In words, or `null` where none of the sizes holds it. More nodes in powers of two and half-way between, which is how clusters are
 * rented; the batch is rounded up to one that every rank can share, for one that does not divide says nothing of memory.
 */
export function leastThatHolds(settings: readonly Setting[], layout: Settings): string | null {
  const [first] = settings;
  if (first === undefined || first.cluster.device.kind !== "gpu") return null;
  const { nodes, gpusPerNode } = first.cluster;
  for (const factor of factors) {
    const count = nodes * factor;
    if (!Number.isInteger(count)) continue;
    if (count * gpusPerNode > largest) return null;
    for (const setting of settings) {
      const cluster = { ...setting.cluster, nodes: count };
      const world = worldOf(cluster);
      const globalBatch = world * Math.ceil(setting.globalBatch / world);
      const [best] = find({ ...setting, cluster, globalBatch }, layout).ranked;
      if (best?.fits === true) return wordsOf(count, gpusPerNode, setting);
    }
  }
  return null;
}

const factors: readonly number[] = Array.from({ length: 16 }, (_, power) => [
  2 ** (power + 1),
  3 * 2 ** power,
]).flat();

function wordsOf(nodes: number, gpusPerNode: number, { engine, cluster }: Setting): string {
  return `${nodes * gpusPerNode} devices (${nodes} nodes of ${gpusPerNode} ${cluster.device.name}) with engine ${engine.name}`;
}
