import type { BlockKind, Type } from "../../dsl/kind.ts";
import {
  bool,
  choice,
  enumeration,
  handleOrAt,
  integer,
  path,
  quantity,
  secret,
  share,
} from "../../dsl/types/type.ts";

const formats: Type = choice("format", {
  safetensors: {
    doc: "safetensors with the Hub's configuration, as Transformers and vLLM load it",
    parameters: {
      merge_adapters: { type: bool, doc: "whether adapters are added to the weights", default: "false" },
      shard: { type: quantity([{ byte: 1 }], { min: 1 }), doc: "maximum size of one file", default: "5 GB" },
    },
  },
  onnx: {
    doc: "an ONNX graph",
    parameters: { opset: { type: integer({ min: 7 }), doc: "version of the operators", default: "17" } },
  },
  tensorrt: {
    doc: "a TensorRT engine, made for one kind of GPU",
    parameters: {
      precision: { type: enumeration("precision", ["bf16", "fp16", "fp8"]), doc: "arithmetic", default: "fp16" },
    },
  },
  gguf: {
    doc: "a file for llama.cpp",
    parameters: {
      quantization: {
        type: enumeration("quantization", ["f16", "q8_0", "q6_k", "q5_k_m", "q4_k_m", "q4_0"]),
        doc: "how weights are rounded",
        default: "f16",
      },
    },
  },
});

export const exportKind: BlockKind = {
  name: "export",
  doc: "A checkpoint in a format for other tools, with its tokenizer and optionally a model card",
  step: true,
  runs: false,
  begins: ["format"],
  properties: {
    model: { type: handleOrAt(["stage"], ["last", "best"]), doc: "the checkpoint: `tune.best`", required: true },
    format: { type: formats, doc: "the format", default: "safetensors" },
    prune: {
      type: choice("pruning", {
        magnitude: {
          doc: "the smallest weights become zero (Han et al. 2015)",
          parameters: {
            share: { type: share("the weights"), doc: "how many", required: true },
            block: {
              type: enumeration("pattern of zeros", ["any", "two_of_four"]),
              doc: "where they may be: NVIDIA GPUs can skip `two_of_four`",
              default: "any",
            },
          },
        },
        layers: {
          doc: "whole layers are removed, those that change their input least (Gromov et al. 2024)",
          parameters: { share: { type: share("the layers"), doc: "how many", required: true } },
        },
      }),
      doc: "pruning before the export: `magnitude(share = 50%)`",
    },
    card: { type: bool, doc: "a model card with data, sizes, length and results from the file", default: "false" },
    to: { type: path, doc: 'where: a path, a store, or `"hf://owner/name"`; beside the run by default' },
    key: { type: secret, doc: "the credential for the place" },
    public: { type: bool, doc: "whether it is public", default: "false" },
  },
  handles: ["result"],
  clauses: ["after"],
  foreign: {
    from: { instead: "write `model`", rewrite: (v) => `model = ${v}` },
    checkpoint: { instead: "write `model`", rewrite: (v) => `model = ${v}` },
    push_to_hub: { instead: 'write `to = "hf://owner/name"`' },
    hub_model_id: { instead: 'write `to = "hf://owner/name"`', rewrite: (v) => `to = ${v.replace(/^"/, '"hf://')}` },
    private: { instead: "write `public`" },
  },
};
