import type { BlockKind, Property, Type } from "../../../dsl/kind.ts";
import { bool, enumeration, integer, noneType, quantity, union } from "../../../dsl/types/type.ts";

const pin = (values: Type, doc: string): Property => ({ type: values, doc, bounded: true });
const degree = (doc: string): Property => pin(integer({ min: 1 }), doc);
/** Carried out where the engine of the stage splits its model. */
const splits = (doc: string): Property => ({ ...degree(doc), default: "1", runs: false });

export const layout: BlockKind = {
  name: "layout",
  doc: "How the work is laid out: a value pins, a bound guides the planner",
  properties: {
    micro_batch: pin(quantity([{ sample: 1 }], { integer: true, min: 1 }), "samples per rank and forward pass"),
    zero_stage: pin(
      integer({ min: 0, max: 3 }),
      "what ZeRO shards: 0 nothing, 1 optimizer states, 2 and gradients, 3 and weights",
    ),
    recompute: pin(
      enumeration("recomputation", ["none", "selective", "full"]),
      "activations computed twice instead of kept",
    ),
    offload: pin(union(noneType, enumeration("offload", ["optimizer", "all"])), "what lives in host memory"),
    data_parallel: degree("replicas"),
    tensor_parallel: splits("ranks that share each matrix"),
    pipeline_parallel: splits("ranks that share the layers"),
    context_parallel: splits("ranks that share a sequence"),
    expert_parallel: splits("ranks that share the experts"),
    virtual_pipeline: splits("chunks of layers that each rank of a pipeline holds"),
    sequence_parallel: {
      ...pin(bool, "norms and dropout sharded along the sequence"),
      default: "false",
      runs: false,
    },
  },
  foreign: {
    gradient_accumulation_steps: { instead: "accumulation is derived: `batch` / (`micro_batch` x ranks)" },
    accumulation: { instead: "accumulation is derived: `batch` / (`micro_batch` x ranks)" },
    world_size: { instead: "the world is derived from the cluster's nodes and GPUs" },
    dp: { instead: "write `data_parallel`", rewrite: (v) => `data_parallel = ${v}` },
    tp: { instead: "write `tensor_parallel`", rewrite: (v) => `tensor_parallel = ${v}` },
    pp: { instead: "write `pipeline_parallel`", rewrite: (v) => `pipeline_parallel = ${v}` },
    cp: { instead: "write `context_parallel`", rewrite: (v) => `context_parallel = ${v}` },
    ep: { instead: "write `expert_parallel`", rewrite: (v) => `expert_parallel = ${v}` },
    micro_batch_size: { instead: "write `micro_batch`", rewrite: (v) => `micro_batch = ${v} samples` },
  },
};
