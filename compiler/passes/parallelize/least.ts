/** The fewest devices of a cluster's kind that hold a model which it does not. */
import type { Settings } from "../../pipeline.ts";
import { fitsAny } from "../../planner/search/find.ts";
import type { Setting } from "../../planner/setting.ts";

/** No cluster of this many devices was ever built. */
const largest = 2 ** 17;

/** Numbers of nodes that are tried one by one, which takes a moment for each. */
const most = 64;

/**
 * In words, or `null` where none of the sizes holds it. With the stage's batch where some size can share it out; else with one that every
 * rank has a share of, for one that does not divide says nothing of memory.
 */
export function leastThatHolds(settings: readonly Setting[], layout: Settings): string | null {
  const [first] = settings;
  if (first === undefined || first.cluster.device.kind !== "gpu") return null;
  const { nodes, gpusPerNode } = first.cluster;
  const own = (): number => first.globalBatch;
  const rounded = (world: number): number => world * Math.ceil(first.globalBatch / world);
  for (const batchOn of [own, rounded]) {
    const holding = (count: number): string | null => {
      const globalBatch = batchOn(count * gpusPerNode);
      for (const setting of settings) {
        const { cluster, engine } = setting;
        if (!fitsAny({ ...setting, cluster: { ...cluster, nodes: count }, globalBatch }, layout)) continue;
        const batch = batchOn === own ? "" : ` and a batch of ${globalBatch} samples`;
        return `${count * gpusPerNode} devices (${count} nodes of ${gpusPerNode} ${cluster.device.name}) with engine ${engine.name}${batch}`;
      }
      return null;
    };
    const found = fewestNodes(nodes, gpusPerNode, holding);
    if (found !== null) return found;
  }
  return null;
}

/**
 * Powers of two and half-way between come first, which is how clusters are rented; then every number of nodes below the one that was
 * found, or so many of them, evenly.
 */
function fewestNodes(nodes: number, gpusPerNode: number, holding: (count: number) => string | null): string | null {
  for (const factor of factors) {
    const count = nodes * factor;
    if (!Number.isInteger(count)) continue;
    if (count * gpusPerNode > largest) return null;
    const found = holding(count);
    if (found === null) continue;
    const step = Math.ceil((count - nodes) / most);
    for (let fewer = nodes + step; fewer < count; fewer += step) {
      const held = holding(fewer);
      if (held !== null) return held;
    }
    return found;
  }
  return null;
}

const factors: readonly number[] = Array.from({ length: 16 }, (_, power) => [
  2 ** (power + 1),
  3 * 2 ** power,
]).flat();
