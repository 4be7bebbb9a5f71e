import type { Property, Type } from "../../dsl/kind.ts";
import { bool, choice, enumeration, filled, integer, number, share } from "../../dsl/types/type.ts";

/** Matrices by what they do; a group stands for all of its parts. */
export const adapterTargets = {
  q: "attention",
  k: "attention",
  v: "attention",
  o: "attention",
  attention: "attention",
  gate: "gate",
  up: "mlp",
  down: "mlp",
  mlp: "mlp",
  experts: "experts",
  time_mix: "rwkv",
  channel_mix: "rwkv",
  mamba: "mamba",
  all: "all",
} as const;

/** Names of modules in transformers. */
const modules = {
  q_proj: "q",
  k_proj: "k",
  v_proj: "v",
  o_proj: "o",
  gate_proj: "gate",
  up_proj: "up",
  down_proj: "down",
  self_attn: "attention",
  all_linear: "all",
  all_linears: "all",
};

const targets: Property = {
  type: filled(enumeration("kind of matrix in a layer", Object.keys(adapterTargets), modules)),
  doc: "the matrices that get an adapter",
  default: "[attention]",
  also: ["target_modules", "modules", "lora_target_modules"],
};
const rank: Property = {
  type: integer({ min: 1 }),
  doc: "inner width of the two small matrices",
  required: true,
  also: ["r", "lora_r", "lora_rank"],
};

/** Small matrices beside the large ones; a plugin with `role = adapter` is one more. */
export const adapters: Type = choice("adapter", {
  lora: {
    doc: "low-rank updates; only they are trained (Hu et al. 2022)",
    parameters: {
      rank,
      alpha: { type: number({ above: 0 }), doc: "scale: an update is multiplied by `alpha / rank`", required: true },
      dropout: { type: share("activations", { below: 1 }), doc: "dropout on the input of an adapter", default: "0%" },
      targets,
      quantized: {
        type: bool,
        doc: "whether the frozen weights are held in four bits (QLoRA)",
        default: "false",
        runs: false,
      },
    },
  },
  plastic_lora: {
    doc: "low-rank updates that a Hebbian rule writes while the model runs, kept only when a proposal is accepted",
    runs: false,
    parameters: {
      rank,
      alpha: { type: number({ above: 0 }), doc: "rate of the Hebbian update", required: true },
      decay: { type: number({ min: 0, max: 1 }), doc: "decay of an update per step", required: true },
      clamp: { type: number({ above: 0 }), doc: "largest absolute value of an update", default: "2.0" },
      targets,
      commit: {
        type: enumeration("moment", ["on_accept", "always", "never"]),
        doc: "when a proposal becomes lasting",
        default: "on_accept",
      },
    },
  },
});
