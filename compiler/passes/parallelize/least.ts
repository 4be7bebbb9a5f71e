/** The fewest devices of a cluster's kind that hold a model which it does not. */
import type { Settings } from "../../pipeline.ts";
import { bytes } from "../../planner/describe.ts";
import { likelyIn, roomOf } from "../../planner/search/evaluate.ts";
import { find, fitsAny } from "../../planner/search/find.ts";
import { sumOf, worldFloor, type WorldFloor } from "../../planner/search/world-floor.ts";
import { leastMachine } from "./least-machine.ts";
import { usableOf } from "../../planner/memory.ts";
import type { Setting } from "../../planner/setting.ts";

/** No cluster of this many devices was ever built. */
const largest = 2 ** 17;

/** Numbers of nodes that are tried one by one; beyond them a part of all others, ever further apart. */
const most = { reckoned: 4000, searched: 40 };

/**
 * A clause that says how many, or that no number does and why. With the stage's batch where some size can share it out, and with one that
 * every rank has a share of where that takes fewer: one that does not divide says nothing of memory. `isTold`: what the devices that there
 * are hold with another engine is said already. Fewer that hold it by the estimate alone are named beside those that do for certain.
 */
export function leastThatHolds(settings: readonly Setting[], layout: Settings, isTold: boolean): string | null {
  const [first] = settings;
  if (first === undefined) return null;
  if (first.cluster.device.kind !== "gpu") return leastMachine(settings, layout);
  const { nodes, gpusPerNode, device } = first.cluster;
  const last = Math.floor(largest / gpusPerNode);
  if (nodes >= last) return null;
  const candidates = settings.map((setting) => candidateOf(setting, layout, last, true));
  const from = firstOf(candidates);
  if (from > last) return `no number of ${device.name} up to ${largest} would be enough${whyNone(candidates, last)}`;

  const rounded = (world: number): number => world * Math.ceil(first.globalBatch / world);
  const own = fewest(candidates, layout, [from, last], () => first.globalBatch);
  // Where none was worth a search, a larger batch needs no less.
  const below = own.found === null ? last : own.found.nodes - 1;
  const other = own.searched === 0 ? null : fewest(candidates, layout, [from, below], rounded).found;
  const said = own.found ?? other;
  if (said === null)
    return `up to ${largest} ${device.name}, no way to split its layers, heads, sequence and batch was found that fits`;
  if (own.found?.nodes === nodes && isTold) return null;
  const batch = other === null ? "" : ` a batch of ${other.globalBatch} samples`;
  const words = `${said.nodes * gpusPerNode} devices (${said.nodes} nodes of ${gpusPerNode} ${device.name}) with engine ${said.engine}`;
  if (own.found === null) return `${words} and${batch} would be enough`;
  const fewer = other === null ? "" : `, or ${other.nodes * gpusPerNode} with engine ${other.engine} and${batch}`;
  return `${words} would be enough${fewer}${byEstimate(settings, layout, said.nodes)}`;
}

const firstOf = (candidates: readonly Candidate[]): number => Math.min(...candidates.map((one) => one.from));

/** Fewer than so many nodes that hold it by the estimate, which may be wrong by more than is left. */
function byEstimate(settings: readonly Setting[], layout: Settings, nodes: number): string {
  const likely = settings.map((setting) => candidateOf(setting, layout, nodes, false));
  const batchOn = (): number => settings[0]?.globalBatch ?? 0;
  const { found } = fewest(likely, layout, [firstOf(likely), nodes - 1], batchOn);
  if (found === null) return "";
  const devices = found.nodes * (settings[0]?.cluster.gpusPerNode ?? 1);
  return `; ${devices} with engine ${found.engine} would probably be (the margin is smaller than the estimate's error)`;
}

interface Holding {
  readonly nodes: number;
  readonly engine: string;
  readonly globalBatch: number;
}

/** Of all numbers of nodes from the one to the other, and of all engines; where some were passed over, of those next below what was found. */
function fewest(
  candidates: readonly Candidate[],
  layout: Settings,
  [from, last]: readonly [number, number],
  batchOn: (world: number) => number,
): { readonly found: Holding | null; readonly searched: number } {
  const tries = { reckoned: 0, searched: 0 };
  let before = from - 1;
  const below = (nodes: number): Holding | null =>
    before + 1 < nodes ? fewest(candidates, layout, [before + 1, nodes - 1], batchOn).found : null;
  for (let nodes = from; nodes <= last; nodes += strideAt(nodes, tries)) {
    for (const { setting, floor, room, from: least, isSure } of candidates) {
      if (nodes < least) continue;
      const { cluster, engine } = setting;
      const world = nodes * cluster.gpusPerNode;
      const globalBatch = batchOn(world);
      tries.reckoned++;
      if (floor.split(world, globalBatch) > room) continue;
      tries.searched++;
      const there = { ...setting, cluster: { ...cluster, nodes }, globalBatch };
      if (isSure ? fitsAny(there, layout) : fitsLikely(there, layout))
        return { found: below(nodes) ?? { nodes, engine: engine.name, globalBatch }, searched: tries.searched };
    }
    before = nodes;
  }
  return { found: null, searched: tries.searched };
}

/** Whether a plan would be made there, with a warning. */
function fitsLikely(setting: Setting, layout: Settings): boolean {
  const [best] = find(setting, layout).ranked;
  return best !== undefined && likelyIn(setting, best.memory);
}

function strideAt(count: number, { reckoned, searched }: typeof most): number {
  return searched > most.searched || reckoned > most.reckoned ? Math.ceil(count / 32) : 1;
}

interface Candidate {
  readonly setting: Setting;
  readonly floor: WorldFloor;
  readonly room: number;
  /** For certain, or by the estimate alone? */
  readonly isSure: boolean;
  /** Fewer nodes do not hold it, however it is split. */
  readonly from: number;
}

function candidateOf(setting: Setting, layout: Settings, last: number, isSure: boolean): Candidate {
  const { cluster } = setting;
  const on = { ...setting, cluster: { ...cluster, nodes: last } };
  const floor = worldFloor(on, layout);
  const usable = usableOf(on);
  const room = isSure ? roomOf(usable) : usable.usable;
  const holds = (count: number): boolean => sumOf(floor.even(count * cluster.gpusPerNode)) <= room;
  let [below, from] = [0, last + 1];
  while (from - below > 1) {
    const middle = Math.floor((below + from) / 2);
    if (holds(middle)) from = middle;
    else below = middle;
  }
  return { setting, floor, room, isSure, from };
}

/** What of the model alone fills a device of the largest cluster. */
function whyNone(candidates: readonly Candidate[], last: number): string {
  const [best] = candidates
    .map(({ setting, floor }) => floor.even(last * setting.cluster.gpusPerNode))
    .sort((a, b) => sumOf(a) - sumOf(b));
  if (best === undefined || !Number.isFinite(sumOf(best)))
    return ": the hosts have too little memory for its processes and their offloaded data";
  const { states, activations, gathered, rest, isCut } = best;
  const worst = Math.max(states, activations, gathered, rest);
  if (worst === rest) return `: the program alone, without a model, takes ${bytes(rest)} of each`;
  if (worst === gathered) return `: each gathers two whole layers, which take ${bytes(gathered)}`;
  const what =
    worst === activations ? "the activations of one sample take" : "its weights, gradients and optimizer states take";
  return isCut
    ? `: even split over all of them, ${what} ${bytes(worst)} of each`
    : `: ${what} ${bytes(worst)} of each`;
}
