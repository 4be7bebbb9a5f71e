import { partialRope, usual } from "./build.ts";
import { embedding, family, head } from "./define.ts";
import { attention } from "./layers/attention.ts";
import { mlp } from "./layers/mlp.ts";
import { norm, normTensors } from "./layers/norm.ts";
import { layer } from "./layers/part.ts";
import { heads, wide } from "./rules.ts";

/** Phi-1 to Phi-2: attention and MLP side by side after one norm, biases everywhere, on the head too. */
export const phi = family({
  name: "phi",
  paper: "Textbooks Are All You Need (Gunasekar et al. 2023, arXiv 2306.11644); phi-1.5 (arXiv 2309.05463)",
  source: "transformers models/phi/configuration_phi.py: PhiConfig",
  class: "PhiForCausalLM",
  says: {
    heads: heads((d) => (d >= 2560 ? 80 : 64), "d_model / 64 (80 from 2560 on)", "phi-1.5 and phi-2, config.json"),
    d_ff: wide(4, "phi-1 (arXiv 2306.11644), section 2.3"),
    vocab: 51200,
    context: 2048,
    bias: true,
    qkv_bias: true,
    norm: "layer",
    activation: "gelu_tanh",
    gated: false,
    parallel_residual: true,
    rotary_fraction: 0.5,
  },
  varies: ["kv_heads", "qk_norm", "rotary_fraction", "rope_theta"],
  before: [embedding()],
  layers: [
    layer(
      "block",
      "layers",
      norm("input_layernorm", "layer"),
      attention({
        out: "dense",
        reordered: true,
        qkvBias: true,
        outBias: true,
        qkNorm: { over: "head", kind: "layer", names: ["q_layernorm", "k_layernorm"] },
      }),
      mlp({ names: ["fc1", "fc2"], bias: true, beside: true }),
    ),
  ],
  after: [
    ...normTensors("final_layernorm", "layer"),
    head(),
    { name: "lm_head.bias", role: "bias", shape: ["vocab"], split: ["tensor"] },
  ],
  build: {
    model: "PhiForCausalLM",
    config: "PhiConfig",
    keys: {
      ...usual,
      ...partialRope,
      layer_norm_eps: "norm_eps",
      resid_pdrop: "dropout",
      embd_pdrop: "dropout",
      qk_layernorm: "qk_norm",
    },
  },
});
