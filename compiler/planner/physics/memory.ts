/** Bytes of a rank at its worst instant, stage by stage. */
import { activationBytes } from "./activations.ts";
import type { Engine } from "./engine.ts";
import { inFlight } from "./in-flight.ts";
import type { Batch, Layout } from "./layout.ts";
import { blockParameters, endParameters, paddedVocab } from "./parameters.ts";
import type { Shape } from "./shape.ts";
import { stagesOf } from "./stages.ts";
import { stateBytes } from "./states.ts";

/** What only measurement tells of an engine on a machine. */
export interface MemoryConstants {
  /** Reserved by the allocator over what is allocated, as a share of activations and of the rest. */
  readonly slack: number;
  /** Bytes beside the model: contexts, communicators, workspaces. */
  readonly runtime: number;
}

export interface RankMemory {
  readonly stage: number;
  readonly peak: number;
  readonly parts: {
    readonly weights: number;
    readonly gradients: number;
    readonly optimizer: number;
    readonly activations: number;
    readonly logits: number;
    readonly buffers: number;
    readonly runtime: number;
  };
}

export function memoryOf(
  shape: Shape,
  layout: Layout,
  batch: Batch,
  engine: Engine,
  constants: MemoryConstants,
): readonly RankMemory[] {
  const padded = paddedVocab(shape.vocab, layout, engine.padding);
  const ends = endParameters(shape, layout, padded);
  const stages = stagesOf(shape, layout, engine);
  return stages.map((stage, index) => {
    const last = index === layout.pipeline - 1;
    let dense = (index === 0 ? ends.first : 0) + (last ? ends.last : 0);
    let expert = 0;
    let kept = 0;
    let largest = 0;
    let unit = 0;
    for (const { block, count } of stage) {
      const held = blockParameters(shape, block, layout);
      dense += held.dense * count;
      expert += held.expert * count;
      unit = Math.max(unit, held.dense + held.expert);
      kept += activationBytes(shape, block, layout, batch, engine) * count;
      if (layout.recompute === "full")
        largest = Math.max(largest, activationBytes(shape, block, layout, batch, engine, "none"));
    }
    const { step, ...states } = stateBytes({ dense, expert }, layout, engine);
    const tokens = (batch.micro * batch.sequence) / layout.context;
    const logits = last ? (engine.logits * tokens * padded) / layout.tensor : 0;
    const flying = inFlight(layout, batch, index);
    // Stage 3 gathers the running layer and the next one.
    const gathered = layout.zero === 3 ? 2 * engine.states.weights * unit : 0;
    // The loss runs backward, or the first layer that is recomputed does, or the optimizer steps.
    const instants = [
      { activations: flying * kept, logits, buffers: gathered },
      { activations: flying * kept + largest, logits: 0, buffers: gathered },
      { activations: 0, logits: 0, buffers: step },
    ];
    const worst = instants.reduce((a, b) => (sum(b) > sum(a) ? b : a));
    const parts = { ...states, ...worst };
    const allocated = sum(parts);
    const runtime = constants.runtime + (constants.slack - 1) * allocated;
    return { stage: index, peak: allocated + runtime, parts: { ...parts, runtime } };
  });
}

function sum(parts: object): number {
  return Object.values(parts as Readonly<Record<string, number>>).reduce((total, part) => total + part, 0);
}
