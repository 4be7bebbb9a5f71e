import type { Capabilities } from "../engine.ts";

/**
 * torch under the transformers Trainer: DistributedDataParallel, where every rank holds everything, or FSDP2, which shards weights,
 * gradients and optimizer states; stage 2 keeps the gathered weights from forward to backward, stage 3 gathers them again.
 */
export const capabilities: Capabilities = {
  zero_stages: [0, 2, 3],
  recompute: ["none", "full"],
  offload: ["none"],
  parallel: {
    tensor_parallel: 1,
    pipeline_parallel: 1,
    virtual_pipeline: 1,
    context_parallel: 1,
    expert_parallel: 1,
    expert_tensor_parallel: 1,
  },
};
