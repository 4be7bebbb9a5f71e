/** Boundaries between stages that a stage in the middle of a pipeline has. */
export const ownBoundaries = (pipeline: number): number => Math.min(2, pipeline - 1);

/** Those of the others, which only the first micro-batch in and the last one out cross while such a stage has nothing to do. */
export const otherBoundaries = (pipeline: number): number => pipeline - 1 - ownBoundaries(pipeline);

/** Waits of such a stage for its own boundaries that those are as long as. */
export const otherWaits = (pipeline: number): number =>
  pipeline > 1 ? otherBoundaries(pipeline) / ownBoundaries(pipeline) : 0;
