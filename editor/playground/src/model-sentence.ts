/** A sized model in a line. */
import { short, whole } from "../../../cli/render/figures.ts";
import type { SizedModel } from "../../../compiler/plan.ts";

export function modelSentence(model: SizedModel): string {
  const { parameters, heads, kv_heads, moe } = model;
  return [
    `${model.family}: ${whole(parameters.total)} parameters`,
    ...(parameters.active === parameters.total ? [] : [`${short(parameters.active)} active`]),
    `${model.layers} layers of ${whole(model.d_model)}`,
    ...(heads === 0 ? [] : [`${heads} heads of ${model.head_dim}${kv_heads === heads ? "" : ` on ${kv_heads}`}`]),
    ...(model.d_ff === 0 ? [] : [`MLP ${whole(model.d_ff)}`]),
    ...(moe === undefined ? [] : [`${moe.experts} experts of ${whole(moe.d_ff)}, ${moe.top_k} to a token`]),
    `vocabulary ${whole(model.vocab)}${model.tied ? " (tied)" : ""}`,
    `context ${whole(model.context)}`,
  ].join(", ");
}
