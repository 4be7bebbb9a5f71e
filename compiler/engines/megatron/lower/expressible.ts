import { families } from "../../../models/index.ts";
import { routedOf } from "../../../models/routed.ts";
import type { FamilyName } from "../../../pipeline.ts";
import type { SizedModel } from "../../../plan.ts";

/** Families whose blocks Megatron's own programs have none of. */
const foreign: { readonly [Name in FamilyName]?: string } = {
  gemma: "it scales its embeddings and gates with GELU, and Megatron gates with SiLU",
  gemma2: "it normalises after each part too and caps its scores",
  gemma3: "it normalises after each part too and gates with GELU",
  falcon: "its attention and feed-forward parts stand side by side",
  phi: "its attention and feed-forward parts stand side by side",
  olmo2: "it normalises after each part, and queries and keys over their whole width",
  gpt_oss: "its router and its clamped gates have biases that no argument sets",
  mpt: "its projections have no biases while its norms have none either",
  bamba: "each of its layers has a feed-forward part in addition to Mamba or attention",
  mamba: "Megatron has Mamba 2 and no Mamba 1",
  rwkv7: "it has no RWKV",
  cdrmix: "it has no RWKV",
};

/** Why Megatron has no such model; empty where it has. */
export function inexpressible(model: SizedModel): readonly string[] {
  const { activation, gated, positions, rope_theta } = model;
  const feedsForward = model.d_ff > 0;
  const own = foreign[model.family];
  if (own !== undefined) return [own];
  return [
    ...(model.family === "mamba2" && model.bias ? ["its Mamba layers have no biases"] : []),
    ...(model.parallel_residual ? ["its attention and feed-forward parts stand side by side"] : []),
    ...(positions === "alibi" ? ["it has no ALiBi"] : []),
    ...(gated && activation !== "silu" ? [`it gates with SiLU, not with ${activation}`] : []),
    ...(feedsForward && !gated && (activation === "silu" || activation === "relu")
      ? [`it has no ${activation} without a gate`]
      : []),
    ...(!gated && activation === "gelu_tanh" && !model.bias
      ? ["its GELU is an approximation by tanh only where it is fused with a bias"]
      : []),
    ...(model.family === "llama" && model.qkv_bias && !model.bias
      ? ["it has no bias in attention alone that the output projection has too"]
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
