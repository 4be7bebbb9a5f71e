/** Boundaries between the stages of a pipeline: how many a stage has, which of them leave a node, and how long stages wait for them. */
import { groupOf } from "./collective.ts";
import { worldOf, type Layout } from "./layout.ts";

/** Boundaries between stages that a stage in the middle of a pipeline has. */
export const ownBoundaries = (pipeline: number): number => Math.min(2, pipeline - 1);

/** Those of the others, which only the first micro-batch in and the last one out cross while such a stage has nothing to do. */
export const otherBoundaries = (pipeline: number): number => pipeline - 1 - ownBoundaries(pipeline);

/** Waits of such a stage for its own boundaries that those are as long as. */
export const otherWaits = (pipeline: number): number =>
  pipeline > 1 ? otherBoundaries(pipeline) / ownBoundaries(pipeline) : 0;

/**
 * Passes of a stage with several chunks, forward and as many back, that it makes before and after it alternates between the two. Their messages
 * have no products of another pass beside them (megatron/core/pipeline_parallel/schedules.py, num_warmup_microbatches: those of the last
 * stage; what the others have more of them fills the pipeline, which `otherWaits` counts).
 */
export function earlyPasses(
  { pipeline, chunks, turn = pipeline }: Pick<Layout, "pipeline" | "chunks" | "turn">,
  count: number,
): number {
  return Math.min(count * chunks, (chunks - 1) * turn);
}

export interface Waits {
  /** Seconds of the stage that waits longest. */
  readonly slowest: number;
  /** Of a stage on average. */
  readonly mean: number;
}

/**
 * Stages take their places one after the other (Megatron's order tp-cp-ep-dp-pp, DeepSpeed's pipe-data-model): a domain holds as many of them as it
 * has room for, and the boundary behind the last of them is on the network. An inner stage receives over one boundary and sends over
 * another in each half of a 1F1B turn, and waits for both. Its neighbours keep its pace, so the stage that waits longest sets that of all;
 * what fills and drains the pipeline meets every boundary once.
 */
export function boundaryWaits(layout: Layout, domain: number, near: number, far: number): Waits {
  const { pipeline } = layout;
  if (pipeline === 1) return { slowest: 0, mean: 0 };
  const together = groupOf(pipeline, worldOf(layout) / pipeline, domain).near;
  const remote = Math.ceil(pipeline / together) - 1;
  const mean = (ownBoundaries(pipeline) * (remote * far + (pipeline - 1 - remote) * near)) / (pipeline - 1);
  if (remote === 0 || together === 1) return { slowest: mean, mean };
  return { slowest: Math.max(near + far, together > 2 ? 2 * near : 0), mean };
}
