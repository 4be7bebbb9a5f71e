/** Why so many nodes, and why not others. */
import type { OpenNodes, Pipeline, StageStep } from "../../pipeline.ts";
import { counted } from "../../../dsl/diagnostics/counted.ts";
import { batchOf } from "../parallelize/batch.ts";
import type { Estimate } from "./estimate.ts";
import { orders, tolerance } from "./preferred.ts";

export interface Words {
  readonly reason: string;
  readonly whyNot: (nodes: number, other: Estimate | null) => string;
}

const superlatives = {
  deviceHours: "the fewest device-hours",
  hours: "the least time",
  nodes: "the fewest nodes",
} as const;

export function wordsOf(
  chosen: Estimate,
  found: readonly Estimate[],
  { nodes, prefer }: OpenNodes,
  pipeline: Pipeline,
): Words {
  const { cluster } = pipeline.launch;
  const stages = pipeline.steps.filter((step): step is StageStep => step.kind === "stage");
  const said = new Set(stages.flatMap(({ limits: { given, bounds } }) => [...given.keys(), ...bounds.keys()]));
  // Without a price nothing keeps a cost, and nothing is beyond it.
  const limits = [...said].filter((limit) => limit !== "cost" || chosen.cost !== null);
  const limit = `the stage's ${limits.join(" and ")}`;
  const [first, then] = orders[prefer];
  const isFirst = found.every((one) => one.rank !== chosen.rank || one[first] >= chosen[first]);
  // What comes out better by the estimate alone is not taken: the reason says why.
  const isSpared = chosen.rank === 0 && found.some((one) => one.rank === 1 && one[first] < chosen[first]);
  const kept = `within ${limit}${isSpared ? ", with the estimate's error to spare" : ""}`;
  const superlative =
    then === null || isFirst
      ? `${superlatives[first]} of ${rangeText(nodes)}${limits.length === 0 ? "" : ` that stays ${kept}`}`
      : `${superlatives[then]} of those in ${rangeText(nodes)} that ${limits.length === 0 ? "" : `stay ${kept}${isSpared ? "," : ""} and `}are within ${percent(tolerance - 1)} of ${superlatives[first]}`;
  const reason =
    chosen.rank === 2
      ? `no number of nodes stays within ${limit}: ${counted(chosen.nodes, "node")} ${chosen.nodes === 1 ? "comes" : "come"} closest`
      : `${superlative}${chosen.rank === 1 ? ", by less than the estimate's error" : ""}`;
  const whyNot = (count: number, other: Estimate | null): string => {
    const at = { ...cluster, nodes: count };
    if (other === null)
      return stages.some((stage) => batchOf(stage, at).samples === null)
        ? `the batch cannot be divided evenly over ${count * cluster.gpusPerNode} devices`
        : "no layout fits the devices and divides the batch";
    if (chosen.rank === 2) return `further beyond ${limit}`;
    if (other.rank > chosen.rank)
      return other.rank === 2
        ? `beyond the stage's ${limits.join(" or ")}`
        : `within ${limit} by less than the estimate's error`;
    const [less, by] =
      prefer === "cheapest" ? ["device-hours", ratio("deviceHours", other)] : ["time", ratio("hours", other)];
    if (prefer === "fewest" || Math.abs(by) < 0.005)
      return count > chosen.nodes ? "more nodes" : "fewer nodes, no better";
    return by > 0
      ? `${percent(by)} more ${less}`
      : `${percent(-by)} less ${less}, which is within the estimate's error`;
  };
  const ratio = (key: "hours" | "deviceHours", other: Estimate): number => other[key] / chosen[key] - 1;
  return { reason, whyNot };
}

const percent = (share: number): string => `${String(Number((100 * share).toFixed(share < 0.095 ? 1 : 0)))} %`;

function rangeText(nodes: readonly number[]): string {
  const [first = 0] = nodes;
  const last = nodes.at(-1) ?? first;
  return last - first + 1 === nodes.length ? `${first}..${last} nodes` : `${nodes.join(", ")} nodes`;
}
