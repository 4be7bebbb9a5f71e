import type { Capabilities } from "../engine.ts";

/** torch DistributedDataParallel under the transformers Trainer: every rank holds everything. */
export const capabilities: Capabilities = {
  zero_stages: [0],
  recompute: ["none", "full"],
  offload: ["none"],
  parallel: {
    tensor_parallel: 1,
    pipeline_parallel: 1,
    virtual_pipeline: 1,
    context_parallel: 1,
    expert_parallel: 1,
  },
};
