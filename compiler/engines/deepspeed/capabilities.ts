import type { Capabilities } from "../engine.ts";

/** DeepSpeed 0.19.8 in the training program: data parallel, sequences shared out by Ulysses, layers by its pipeline, experts by AutoEP. */
export const capabilities: Capabilities = {
  zero_stages: [0, 1, 2, 3],
  recompute: ["none", "full"],
  offload: ["none", "optimizer", "all"],
  schedules: ["one_forward_one_backward"],
  parallel: {
    tensor_parallel: 1,
    pipeline_parallel: Infinity,
    virtual_pipeline: 1,
    context_parallel: Infinity,
    expert_parallel: Infinity,
    expert_tensor_parallel: 1,
  },
};
