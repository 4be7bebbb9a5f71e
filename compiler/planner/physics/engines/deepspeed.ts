import type { Engine } from "../engine.ts";
import { fsdp } from "./fsdp.ts";

export interface Options {
  readonly format: "fp32" | "bf16" | "fp16";
  readonly zero: 0 | 1 | 2 | 3;
  /** What lies on the host: masters and moments, or all that stage 3 shards. */
  readonly offload: "none" | "optimizer" | "all";
  readonly ranks: number;
  /** Elements that are reduced at once. */
  readonly bucket: number;
}

/**
 * DeepSpeed ZeRO under the transformers Trainer. It casts the module itself (runtime/engine.py: _configure_distributed_model).
 * Weights and gradients are of the model's type; masters and moments are fp32, 12 bytes (fp32 without ZeRO: 8, for
 * zero/stage_1_and_2.py clones the shard even in fp32); the step casts gradients to fp32 once more. One bucket is filled while
 * another is reduced. Stage 3 releases no parameter that is used again within a billion elements (zero/config.py:
 * max_reuse_distance; zero/partitioned_param_coordinator.py: __params_to_release).
 */
export function deepspeed({ format, zero, offload, ranks, bucket }: Options): Engine {
  const width = format === "fp32" ? 4 : 2;
  const isPlain = zero === 0 && width === 4;
  const isHome = offload === "none";
  const reduces = ranks > 1 || zero >= 2;
  return {
    name: "deepspeed",
    states: {
      weights: offload === "all" ? 0 : width,
      gradients: isHome || zero < 2 ? width : 0,
      transient: 0,
      optimizer: isHome ? mastersOf(isPlain) : 0,
      step: isHome ? stepOf(isPlain) : 0,
    },
    kept: fsdp.kept,
    materialised: false,
    logits: 12,
    partition: "even",
    padding: 1,
    format,
    overlaps: { tensor: false, data: true, pipeline: false },
    reduced: width,
    modules: true,
    trades: true,
    stream: width,
    late: true,
    buckets: { bytes: reduces ? (zero === 0 ? 1 : 2) * width : 0, elements: bucket },
    gathered: width,
    reuse: 1e9,
  };
}

const mastersOf = (isPlain: boolean): number => (isPlain ? 8 : 12);
const stepOf = (isPlain: boolean): number => (isPlain ? 0 : 4);

/** Bytes per sharded parameter that offloading puts on the host. */
export function hostBytes({ format, zero, offload }: Options): number {
  if (offload === "none") return 0;
  const width = format === "fp32" ? 4 : 2;
  const isPlain = zero === 0 && width === 4;
  return mastersOf(isPlain) + stepOf(isPlain) + (offload === "all" ? width : 0);
}
