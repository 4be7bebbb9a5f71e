/** How many nodes: the number that a cluster leaves open, decided before anything is planned on them. */
import type { OpenNodes, Pipeline, StageStep } from "../pipeline.ts";
import type { ClusterChoice, ClusterSize } from "../plan.ts";
import { estimator, inHurry, type Estimate } from "./provision/estimate.ts";
import { preferred, tolerance } from "./provision/preferred.ts";
import { wordsOf } from "./provision/words.ts";

export interface Provided {
  readonly pipeline: Pipeline;
  readonly choice: ClusterChoice | null;
}

export function provision(pipeline: Pipeline): Provided {
  const { cluster } = pipeline.launch;
  const { open } = cluster;
  const hasStage = pipeline.steps.some((step): step is StageStep => step.kind === "stage");
  if (open === undefined || !hasStage) return { pipeline, choice: null };
  const estimate = estimator(pipeline);
  const found = estimates(pipeline, estimate);
  const chosen = preferred(found, open.prefer);
  const largest = open.nodes.at(-1) ?? cluster.nodes;
  // Where no size does, the largest is what is told of.
  if (chosen === null) return { pipeline: at(pipeline, largest), choice: null };
  const words = wordsOf(chosen, found, open, pipeline);
  const on = (nodes: number): Estimate | null =>
    found.find((each) => each.nodes === nodes) ?? estimate(nodes, Infinity);
  const tried = beside(chosen, found, open, (nodes) => on(nodes) !== null).map((nodes): ClusterSize => {
    const one = on(nodes);
    return {
      nodes,
      devices: nodes * cluster.gpusPerNode,
      hours: one?.hours ?? null,
      device_hours: one?.deviceHours ?? null,
      cost: one?.cost ?? null,
      why_not: words.whyNot(nodes, one),
    };
  });
  return {
    pipeline: at(
      chosen.isHurried ? { ...pipeline, steps: pipeline.steps.map(hurried) } : pipeline,
      chosen.nodes,
      words.reason,
    ),
    choice: { nodes: chosen.nodes, prefer: open.prefer, reason: words.reason, tried },
  };
}

const hurried = (step: Pipeline["steps"][number]): typeof step => (step.kind === "stage" ? inHurry(step) : step);

function at(pipeline: Pipeline, nodes: number, reason?: string): Pipeline {
  const { launch } = pipeline;
  const { cluster } = launch;
  const open = cluster.open === undefined || reason === undefined ? cluster.open : { ...cluster.open, reason };
  return {
    ...pipeline,
    launch: { ...launch, cluster: { ...cluster, nodes, ...(open === undefined ? {} : { open }) } },
  };
}

/** Those of all sizes that might be preferred: what is slower or dearer than what was found already is left out. */
function estimates(pipeline: Pipeline, estimate: ReturnType<typeof estimator>): Estimate[] {
  const { open, gpusPerNode } = pipeline.launch.cluster;
  if (open === undefined) return [];
  const found: Estimate[] = [];
  let least = Infinity;
  const sizes = open.prefer === "fastest" ? open.nodes.toReversed() : open.nodes;
  for (const nodes of sizes) {
    const within =
      open.prefer === "cheapest" ? least / (nodes * gpusPerNode) : open.prefer === "fastest" ? least : Infinity;
    const one = estimate(nodes, tolerance * within);
    if (one === null) continue;
    found.push(one);
    if (one.rank > 0) continue;
    if (open.prefer === "fewest") break;
    least = Math.min(least, open.prefer === "cheapest" ? one.deviceHours : one.hours);
  }
  return found;
}

/**
 * Sizes worth a line beside the choice: those next to it that run, of those as sure the fastest, the cheapest and the smallest, and what would be
 * taken were the estimates exact.
 */
function beside(
  chosen: Estimate,
  found: readonly Estimate[],
  { nodes, prefer }: OpenNodes,
  runs: (nodes: number) => boolean,
): number[] {
  const place = nodes.indexOf(chosen.nodes);
  const by = (key: "hours" | "deviceHours" | "nodes"): number[] =>
    found
      .toSorted((a, b) => a.rank - b.rank || a[key] - b[key])
      .slice(0, 1)
      .map((one) => one.nodes);
  const next = (side: readonly number[]): number[] => {
    const near = side.slice(0, nearby).filter(runs).slice(0, 2);
    return near.length > 0 ? near : side.slice(0, 1);
  };
  const sides = [...next(nodes.slice(0, place).toReversed()), ...next(nodes.slice(place + 1))];
  const likely = preferred(
    found.map((one) => (one.rank === 1 ? { ...one, rank: 0 } : one)),
    prefer,
  );
  const most = nodes.slice(-1).filter(runs);
  const all = [
    ...sides,
    ...most,
    ...by("hours"),
    ...by("deviceHours"),
    ...by("nodes"),
    likely?.nodes ?? chosen.nodes,
  ];
  return [...new Set(all)].filter((each) => each !== chosen.nodes).sort((a, b) => a - b);
}

/** Numbers on either side that are looked at for one that runs. */
const nearby = 32;
