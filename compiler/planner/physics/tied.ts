/** A table that embedding and head share, where a pipeline has one on its first stage and one on its last. */
import { collectiveSeconds, groupOf, type NetworkConstants } from "./collective.ts";
import type { Engine } from "./engine.ts";
import type { Layout } from "./layout.ts";
import type { Machine } from "./machine.ts";
import { paddedVocab } from "./parameters.ts";
import type { Shape } from "./shape.ts";

/**
 * Both stages add up their gradients of it once a step, after those of the replicas and with nothing beside (megatron/core/distributed/
 * finalize_model_grads.py: _allreduce_word_embedding_grads; deepspeed/runtime/pipe/engine.py: _exec_reduce_tied_grads).
 */
export function tiedSeconds(
  shape: Shape,
  layout: Layout,
  engine: Engine,
  machine: Machine,
  constants: NetworkConstants,
): number {
  const { pipeline, tensor, data, context } = layout;
  if (!shape.tied || pipeline === 1 || shape.adapters !== undefined || shape.fixed_tables === true) return 0;
  const rows = paddedVocab(shape.vocab, layout, engine.padding);
  const bytes = (engine.reduced * rows * shape.hidden) / tensor;
  const group = groupOf(2, tensor * data * context * (pipeline - 1), machine.domain);
  return collectiveSeconds("reduce", bytes, group, machine, constants);
}
