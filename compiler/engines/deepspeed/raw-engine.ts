/** What keys in `raw deepspeed { … }` make of what the engine allocates and overlaps. */
import type { Document } from "../../document.ts";
import type { Engine } from "../../planner/physics/engine.ts";
import type { Layout } from "../../planner/physics/layout.ts";
import type { Run } from "../engine.ts";
import { isSection } from "./merge.ts";
import { inTable } from "../../../dsl/in-table.ts";

type Raw = Run["raw"] & {};
type Said = (path: string) => Document | undefined;

interface Reading {
  readonly keys: readonly string[];
  readonly read: (engine: Engine, said: Said, run: Run) => Engine;
}

export const saidIn =
  (raw: Raw): Said =>
  (path) =>
    path.split(".").reduce<Document | undefined>((value, key) => (isSection(value) ? value[key] : undefined), raw);

const bytesOf: Readonly<Record<string, number>> = { fp32: 4, fp16: 2, bf16: 2, bfp16: 2 };
const width = (said: Document | undefined): number | undefined =>
  typeof said === "string" ? inTable(bytesOf, said) : undefined;
const count = (said: Document | undefined): number | undefined => (typeof said === "number" ? said : undefined);

const zero = (key: string): string => `zero_optimization.${key}`;

const readings: readonly Reading[] = [
  {
    // Without overlap one bucket is filled and reduced, and no other meanwhile (runtime/zero/stage_1_and_2.py: reduce_independent_p_g_buckets_and_remove_grads).
    keys: [zero("reduce_bucket_size"), zero("overlap_comm")],
    read: (engine, said, { zero_stage }) => {
      const { bytes = 0, elements = 0 } = engine.buckets ?? {};
      const alone = zero_stage > 0 && said(zero("overlap_comm")) === false;
      return {
        ...engine,
        buckets: { bytes: alone ? bytes / 2 : bytes, elements: count(said(zero("reduce_bucket_size"))) ?? elements },
        overlaps: { ...engine.overlaps, ...(alone ? { gradients: false as const } : {}) },
      };
    },
  },
  {
    // Weights stay gathered while both allow it (runtime/zero/partitioned_param_coordinator.py: __params_to_release).
    keys: [zero("stage3_max_reuse_distance"), zero("stage3_max_live_parameters")],
    read: (engine, said) => {
      const limits = ["stage3_max_reuse_distance", "stage3_max_live_parameters"].flatMap(
        (key) => count(said(zero(key))) ?? [],
      );
      return limits.length === 0 ? engine : { ...engine, reuse: Math.min(engine.reuse ?? Infinity, ...limits) };
    },
  },
  {
    keys: ["data_types.grad_accum_dtype"],
    read: (engine, said) => {
      const bytes = width(said("data_types.grad_accum_dtype"));
      const { states } = engine;
      return bytes === undefined || states.gradients === 0
        ? engine
        : { ...engine, states: { ...states, gradients: bytes } };
    },
  },
  {
    keys: ["communication_data_type"],
    read: (engine, said) => ({ ...engine, reduced: width(said("communication_data_type")) ?? engine.reduced }),
  },
  {
    // Kernels make 8 bits of 16 in fp16 and 16 of them again, which bf16 is cast from (runtime/zero/partition_parameters.py: CUDAQuantizer).
    keys: [zero("zero_quantized_weights")],
    read: (engine, said, { quantize = [], zero_stage, precision }) => {
      const isSent = quantize.includes("weights") || said(zero("zero_quantized_weights")) === true;
      return isSent && zero_stage === 3 ? { ...engine, sent: 1, widened: precision === "fp16" ? 3 : 7 } : engine;
    },
  },
  {
    // Tensors are read and 4 bits of each element written; what follows is of a node's share (runtime/comm/coalesced_collectives.py).
    keys: [zero("zero_quantized_gradients")],
    read: (engine, said, { quantize = [], zero_stage }) => {
      const isSent = quantize.includes("gradients") || said(zero("zero_quantized_gradients")) === true;
      return isSent && zero_stage === 3 ? { ...engine, hopped: 0.5, added: (engine.added ?? 0) + 2.5 } : engine;
    },
  },
  {
    // Masters and gradients in bf16 need no copy for the step, and moments may be as narrow (runtime/zero/stage_1_and_2.py: bf16_optimizer_states).
    keys: ["bf16.bf16_master_weights_and_grads", "bf16.bf16_optimizer_states"],
    read: (engine, said, { precision }) => {
      const { states } = engine;
      if (precision !== "bf16" || states.optimizer === 0) return engine;
      if (said("bf16.bf16_master_weights_and_grads") !== true) return engine;
      const moments = said("bf16.bf16_optimizer_states") === true ? 4 : 8;
      return { ...engine, states: { ...states, optimizer: 2 + moments, step: 0 } };
    },
  },
];

export function withRaw(engine: Engine, run: Run): Engine {
  const said = saidIn(run.raw ?? {});
  return readings.reduce((one, { read }) => read(one, said, run), engine);
}

const onHost = "activation_checkpointing.cpu_checkpointing";

const copied = zero("zero_hpz_partition_size");

/** What layers keep to run again lies on the host; a group of ranks holds the weights of stage 3 once more among them. */
export function relaid(layout: Layout, raw: Raw): Layout {
  const said = saidIn(raw);
  const second = count(said(copied)) ?? 1;
  return {
    ...layout,
    ...(layout.recompute === "full" && said(onHost) === true ? { moved: 1 } : {}),
    ...(layout.zero === 3 && second > 1 ? { second } : {}),
  };
}

/** Keys that are read here. */
export const readInEngine: readonly string[] = [...readings.flatMap(({ keys }) => keys), onHost, copied];

const both = "memory and time";

/** Keys that change what a run allocates or how long it takes, and that no estimate reads. */
export const uncounted: Readonly<Record<string, string>> = {
  [zero("allgather_bucket_size")]: "memory",
  [zero("stage3_prefetch_bucket_size")]: "memory",
  [zero("stage3_param_persistence_threshold")]: both,
  [zero("sub_group_size")]: "memory",
  [zero("contiguous_gradients")]: "memory",
  [zero("reduce_scatter")]: "time",
  [zero("round_robin_gradients")]: "time",
  [zero("offload_optimizer.ratio")]: both,
  [zero("offload_optimizer.buffer_count")]: "memory",
  [zero("offload_param.buffer_count")]: "memory",
  [zero("mics_shard_size")]: both,
  [zero("zenflow")]: both,
  "flops_profiler.enabled": "time",
  "progressive_layer_drop.enabled": "time",
  compression_training: both,
  sparse_gradients: "time",
};
