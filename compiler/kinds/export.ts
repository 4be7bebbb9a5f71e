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
    doc: "safetensors with the Hub's configuration: what Transformers and vLLM load",
    parameters: {
      merge_adapters: { type: bool, doc: "whether adapters are added to the weights", default: "false" },
      shard: { type: quantity([{ byte: 1 }], { min: 1 }), doc: "most of one file", default: "5 GB" },
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
  doc: "A checkpoint written as others read it, with its tokenizer and, where asked for, a model card",
  step: true,
  runs: false,
  properties: {
    model: { type: handleOrAt(["stage"], ["last", "best"]), doc: "the checkpoint: `tune.best`", required: true },
    format: { type: formats, doc: "what is written", default: "safetensors" },
    prune: {
      type: choice("pruning", {
        magnitude: {
          doc: "the smallest weights become zero (Han et al. 2015)",
          parameters: {
            share: { type: share("the weights"), doc: "how many", required: true },
            block: {
              type: enumeration("pattern of zeros", ["any", "two_of_four"]),
              doc: "where they may stand: `two_of_four` is what NVIDIA's cards skip",
              default: "any",
            },
          },
        },
        layers: {
          doc: "whole layers are left out, those that change what passes through them least (Gromov et al. 2024)",
          parameters: { share: { type: share("the layers"), doc: "how many", required: true } },
        },
      }),
      doc: "what is taken away before it is written: `magnitude(share = 50%)`",
    },
    card: { type: bool, doc: "a model card from what the file says: data, sizes, length, results", default: "false" },
    to: { type: path, doc: 'where: a path, a store, or `"hf://owner/name"`; beside the run by default' },
    key: { type: secret, doc: "what opens the place" },
    public: { type: bool, doc: "whether everybody can read it", default: "false" },
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
