import type { Capabilities } from "../engine.ts";

/** Megatron Core under its own training loop. ZeRO stage 1 is its distributed optimizer. */
export const capabilities: Capabilities = {
  zero_stages: [0, 1],
  recompute: ["none", "selective", "full"],
  offload: ["none", "optimizer", "activations"],
  offloadAsked: ["activations"],
  trainsWhole: true,
  details: ["modules", "block", "uniform", "offloaded"],
  schedules: ["one_forward_one_backward", "interleaved"],
  parallel: {
    tensor_parallel: Infinity,
    pipeline_parallel: Infinity,
    virtual_pipeline: Infinity,
    context_parallel: Infinity,
    expert_parallel: Infinity,
    expert_tensor_parallel: Infinity,
  },
};

/** Of an evaluation whose stage does not say: whole global batches, for it has no way to say all of the split. */
export const evaluationIterations = 10;
