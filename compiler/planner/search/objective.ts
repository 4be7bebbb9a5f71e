/** What a layout is chosen by; the bench of predictions chooses by the same. */
import type { Layout } from "../physics/layout.ts";
import type { Machine } from "../physics/machine.ts";
import { messagesOf } from "../physics/messages.ts";
import { crowdOf, sendSeconds, stallOdds, type SendConstants } from "../physics/send.ts";

/** Objectives so close to the least are as good: no estimate can tell them apart. */
export const resolution = 0.01;

/**
 * Seconds that a step may take beyond its estimate because messages over the network wait, which is what estimates err by most: each for
 * as long as it takes, or as an unmeasured program's may, times the interval. An objective is the estimate and this.
 */
export function riskOf(
  blocks: number,
  layout: Pick<Layout, "tensor" | "pipeline" | "chunks" | "context" | "data">,
  count: number,
  machine: Pick<Machine, "domain">,
  constants: SendConstants,
  interval: number,
): number {
  const messages = messagesOf(blocks, layout, count, machine);
  if (messages === 0) return 0;
  const nodes = crowdOf(layout, machine);
  const send = sendSeconds(nodes, constants);
  // The estimate is of the usual run, the risk of all.
  const stalled = Math.max(0, stallOdds(nodes) * constants.stall - send);
  return messages * (interval * (constants.hiccup + send) + stalled);
}

/**
 * How much of a layout somebody has to understand, and what it gives up: kinds of splits, ranks that share one replica, gradients and weights that are
 * sharded, what is run again and what passes the host's link. Optimizer states that are sharded over the replicas cost nothing; who splits
 * matrices splits what lies between them as well.
 */
export function burdenOf(layout: Layout): number {
  const { tensor, pipeline, chunks, context, sequence_parallel, zero, shard, recompute, offload } = layout;
  const kinds = [tensor, pipeline, context].filter((ranks) => ranks > 1).length;
  return (
    kinds +
    Math.log2(tensor * pipeline * context) +
    // The rarest of the splits, made for sequences that nothing else holds.
    Math.log2(context) +
    Math.log2(chunks) / 4 +
    (tensor > 1 && !sequence_parallel ? 0.5 : 0) +
    Math.max(0, zero - 1) +
    // Groups that hold a copy each are one thing more to know of.
    (shard === undefined ? 0 : 1) +
    (recompute === "none" ? 0 : 4) +
    (offload === "none" ? 0 : 8)
  );
}

export interface Candidate {
  readonly objective: number;
  readonly burden: number;
}

/** The plainest of those whose objective is as good as the least; of equally plain ones that of the least, and of equals the first. */
export function plainest<T extends Candidate>(all: readonly T[]): T | null {
  const limit = (1 + resolution) * all.reduce((least, { objective }) => Math.min(least, objective), Infinity);
  return all.reduce<T | null>((best, one) => {
    if (one.objective > limit) return best;
    if (best === null || one.burden !== best.burden) return best === null || one.burden < best.burden ? one : best;
    return one.objective < best.objective ? one : best;
  }, null);
}
