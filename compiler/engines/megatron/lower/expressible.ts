import { families } from "../../../models/index.ts";
import { routedOf } from "../../../models/routed.ts";
import type { FamilyName } from "../../../pipeline.ts";
import type { SizedModel } from "../../../plan.ts";

/** Families whose blocks Megatron's own programs have none of. */
const foreign: { readonly [Name in FamilyName]?: string } = {
  gemma: "it scales its embeddings and gates with GELU, but Megatron gates with SiLU",
  gemma2: "it also normalises after each part and caps its scores",
  gemma3: "it also normalises after each part and gates with GELU",
  falcon: "its attention and feed-forward parts run in parallel",
  phi: "its attention and feed-forward parts run in parallel",
  olmo2: "it normalises after each part, and queries and keys over their whole width",
  gpt_oss: "its router and its clamped gates have biases that no argument sets",
  mpt: "neither its projections nor its norms have biases",
  bamba: "each of its layers has a feed-forward part in addition to Mamba or attention",
  mamba: "Megatron has Mamba 2 but not Mamba 1",
  rwkv7: "Megatron does not have it",
  cdrmix: "Megatron does not have it",
};

/** Why Megatron has no such model; empty where it has. */
export function inexpressible(model: SizedModel): readonly string[] {
  const { activation, gated, positions, rope_theta } = model;
  const feedsForward = model.d_ff > 0;
  const own = foreign[model.family];
  if (own !== undefined) return [own];
  return [
    ...(model.family === "mamba2" && model.bias ? ["Megatron's Mamba layers have no biases"] : []),
    ...(model.parallel_residual ? ["its attention and feed-forward parts run in parallel"] : []),
    ...(positions === "alibi" ? ["Megatron has no ALiBi"] : []),
    ...(gated && activation !== "silu" ? [`Megatron gates with SiLU, not with ${activation}`] : []),
    ...(feedsForward && !gated && (activation === "silu" || activation === "relu")
      ? [`Megatron has no ${activation} without a gate`]
      : []),
    ...(!gated && activation === "gelu_tanh" && !model.bias
      ? ["Megatron approximates GELU by tanh only where it is fused with a bias"]
      : []),
    ...(model.family === "llama" && model.qkv_bias && !model.bias
      ? ["without other biases, Megatron has attention biases for queries, keys and values only"]
      : []),
    ...(positions === "rope" && !Number.isInteger(rope_theta)
      ? [`rope_theta ${rope_theta} is not a whole number`]
      : []),
    ...(routedOf(families[model.family], model)?.router_bias === true &&
    !["deepseek_v3", "nemotron_h"].includes(model.family)
      ? ["its router has a learned bias"]
      : []),
  ];
}
