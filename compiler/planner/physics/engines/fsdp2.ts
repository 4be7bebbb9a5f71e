import type { Engine } from "../engine.ts";
import { ddp } from "./ddp.ts";

/**
 * torch FSDP2 under the transformers Trainer: fp32 shards of everything; layers are gathered in the type that products read, give
 * their outputs in it, and gradients are scattered in it (accelerate, FullyShardedDataParallelPlugin.set_mixed_precision). Stage 2 keeps what it gathered until
 * backward has passed, so the shards are all that is held of the weights at either stage, and every micro-batch gathers them
 * (fsdp/_fully_shard/_fsdp_param_group.py: post_backward reshards whatever reshard_after_forward says).
 */
export function fsdp2(format: "fp32" | "bf16" | "fp16", zero: 2 | 3, ranks: number): Engine {
  const width = format === "fp32" ? 4 : 2;
  const { buckets: _, ...plain } = ddp(format, ranks);
  return {
    ...plain,
    name: "fsdp",
    states: { ...plain.states, weights: zero === 3 ? 4 : 4 / ranks, step: 0 },
    stream: width,
    reduced: width,
    late: false,
    copies: zero === 2 ? width : 0,
    gathered: width,
    unshards: true,
  };
}
