import type { Property, Type } from "../../../dsl/kind.ts";
import { choice, enumeration, integer, list, path, string } from "../../../dsl/types/type.ts";

const shardOver: Property = {
  type: integer({ min: 2 }),
  doc: "number of ranks that shard one copy of the model: `pod.node.gpus`; by default all ranks or groups of whole nodes, whichever is faster",
};

/** Programs that no launch is written for, by the engine that splits or shards a model as they do. */
const others = {
  nanotron: "megatron",
  nemo: "megatron",
  torchtitan: "torch",
  fsdp: "torch",
  fsdp2: "torch",
  ddp: "torch",
};

const reasons = {
  nanotron: "nothing here starts nanotron, and Megatron splits a model over ranks as it does",
  nemo: "NeMo is not started itself, but the Megatron inside it",
  torchtitan: "nothing here starts torchtitan, and `torch` shards with the same FSDP2",
  fsdp: "it uses FSDP2 with `layout { zero_stage = 3 }`",
  fsdp2: "it uses FSDP2 with `layout { zero_stage = 3 }`",
  ddp: "it uses DDP with `layout { zero_stage = 0 }`",
};

const engines = {
  torch: {
    doc: "PyTorch's data parallelism with cdr's trainer: DDP, or FSDP2 with `zero_stage` 2 or 3",
    parameters: { shard_over: shardOver },
  },
  deepspeed: {
    doc: "DeepSpeed's ZeRO with cdr's trainer",
    parameters: {
      shard_over: shardOver,
      quantize: {
        type: list(enumeration("quantized", ["weights", "gradients"])),
        doc: "data that is sent in fewer bits under `zero_stage = 3` (ZeRO++)",
      },
      nvme: {
        type: path,
        doc: "a folder on a local disk of each node, for data that `offload` would keep in host memory",
      },
      version: {
        type: string,
        doc: 'the release of DeepSpeed in an environment of your own (`CDR_PYTHON`): `"0.16"`; by default the one that the compiler provides',
      },
    },
  },
  megatron: {
    doc: "Megatron-LM with its own programs: splits matrices, layers, sequences and experts over ranks",
    parameters: {
      entry: {
        type: enumeration("entry", ["scripts", "bridge"]),
        doc: "what starts it: its own programs with arguments (`scripts`, the default), or Megatron Bridge with a configuration (`bridge`)",
      },
      version: {
        type: string,
        doc: 'the version of Megatron Core: `"0.19"`, or with `entry = bridge` of Megatron Bridge: `"0.3"`; the newest known by default',
      },
      program: {
        type: string,
        doc: "which of its programs, below that folder; `pretrain_gpt.py` by default, `pretrain_hybrid.py` for patterns of layers",
      },
      root: { type: string, doc: "the folder of its programs on the target; MEGATRON_ROOT there by default" },
      python: {
        type: string,
        doc: "an interpreter on the target that has its packages; MEGATRON_PYTHON there, or `python3`, by default",
      },
    },
  },
};

/** What trains. */
export const engine: Type = choice("engine", engines, others, reasons);
