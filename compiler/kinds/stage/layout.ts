import type { BlockKind, Property, Type } from "../../../dsl/kind.ts";
import { bool, choice, enumeration, filled, integer, noneType, quantity, union } from "../../../dsl/types/type.ts";
import { modules, schedules } from "../../planner/details.ts";

const pin = (values: Type, doc: string): Property => ({ type: values, doc, bounded: true });
const degree = (doc: string): Property => pin(integer({ min: 1 }), doc);
/** The training program splits nothing: engines do that, and a test holds their names against what they say of themselves. */
const splits = (doc: string, runsBy: string): Property => ({ ...degree(doc), default: "1", runs: false, runsBy });
const megatron = "`megatron`";
const both = "`megatron` and `deepspeed`";

/** Other names of one property. */
const renamed = (name: string, ...others: readonly string[]): BlockKind["foreign"] & {} =>
  Object.fromEntries(
    others.map((other) => [other, { instead: `write \`${name}\``, rewrite: (v: string) => `${name} = ${v}` }]),
  );

const recompute: Type = union(
  enumeration("recomputation", ["none", "selective", "full"]),
  choice("recomputation", {
    selective: {
      doc: "some parts of each layer are recomputed: `selective(modules = [core_attn, mlp])`",
      parameters: {
        modules: {
          type: filled(enumeration("module", modules)),
          doc: "the parts, by Megatron's names; only the attention core by default",
          default: "[core_attn]",
        },
      },
    },
    full: {
      doc: "whole layers are recomputed: all of them, or `full(block = 4)`, `full(uniform = 2)`",
      parameters: {
        block: {
          type: integer({ min: 1 }),
          doc: "number of recomputed layers of each pipeline stage (or of each chunk); the others keep their activations",
        },
        uniform: {
          type: integer({ min: 1 }),
          doc: "number of layers that keep one input together and are recomputed together",
        },
      },
    },
  }),
);

const offload: Type = union(
  noneType,
  enumeration("offload", ["optimizer", "all", "activations"]),
  choice("offload", {
    activations: {
      doc: "activations are kept in host memory: `activations(layers = 8)`",
      parameters: {
        layers: { type: integer({ min: 1 }), doc: "number of layers, from the first; all but the last by default" },
      },
    },
  }),
);

export const layout: BlockKind = {
  name: "layout",
  doc: "How the work is split: a value fixes, a bound guides the planner",
  properties: {
    micro_batch: pin(quantity([{ sample: 1 }], { integer: true, min: 1 }), "samples per rank and forward pass"),
    zero_stage: pin(
      integer({ min: 0, max: 3 }),
      "what ZeRO shards: 0 nothing, 1 optimizer states, 2 and gradients, 3 and weights",
    ),
    recompute: pin(recompute, "activations that are recomputed instead of kept: whole layers, or parts of them"),
    offload: pin(offload, "what is moved to host memory"),
    data_parallel: degree("replicas"),
    tensor_parallel: splits("ranks that share each matrix", megatron),
    pipeline_parallel: splits("ranks that share the layers", both),
    context_parallel: splits("ranks that share a sequence", both),
    expert_parallel: splits("ranks that share the experts", both),
    expert_tensor_parallel: splits("ranks that share the matrices of each expert", megatron),
    virtual_pipeline: splits("chunks of layers that each rank of a pipeline holds", megatron),
    pipeline_schedule: {
      type: enumeration("schedule", schedules),
      doc: "order in which pipeline stages run micro-batches forward and backward: all forward first, alternating, alternating by chunks, or with delayed weight gradients",
      runs: false,
      runsBy: both,
    },
    sequence_parallel: {
      ...pin(bool, "norms and dropout sharded along the sequence"),
      default: "false",
      runs: false,
      runsBy: megatron,
    },
  },
  foreign: {
    gradient_accumulation_steps: { instead: "accumulation is derived: `batch` / (`micro_batch` x ranks)" },
    accumulation: { instead: "accumulation is derived: `batch` / (`micro_batch` x ranks)" },
    world_size: { instead: "the world is derived from the cluster's nodes and GPUs" },
    ...renamed("data_parallel", "dp", "dp_size", "data_parallel_size"),
    ...renamed("tensor_parallel", "tp", "tp_size", "tensor_parallel_size", "tensor_model_parallel_size"),
    ...renamed("pipeline_parallel", "pp", "pp_size", "pipeline_parallel_size", "pipeline_model_parallel_size"),
    ...renamed("context_parallel", "cp", "cp_size", "context_parallel_size"),
    ...renamed("expert_parallel", "ep", "ep_size", "expert_parallel_size", "expert_model_parallel_size"),
    ...renamed("expert_tensor_parallel", "etp", "etp_size", "expert_tensor_parallel_size"),
    schedule: { instead: "write `pipeline_schedule`", rewrite: (v) => `pipeline_schedule = ${v}` },
    recompute_granularity: { instead: "write `recompute`", rewrite: (v) => `recompute = ${v}` },
    recompute_modules: { instead: "write `recompute = selective(modules = […])`" },
    recompute_num_layers: { instead: "write `recompute = full(block = n)` or `full(uniform = n)`" },
    micro_batch_size: { instead: "write `micro_batch`", rewrite: (v) => `micro_batch = ${v} samples` },
  },
};
