import { layerAt } from "../../../models/measure.ts";
import { families } from "../../../models/index.ts";
import { routedOf } from "../../../models/routed.ts";
import type { ChatTemplate } from "../../../pipeline.ts";
import type { SizedModel } from "../../../plan.ts";
import { below } from "../../release.ts";
import { rawWord } from "../raw-word.ts";
import { knownVersionOf } from "../table.ts";
import { groupsExperts } from "../grouped.ts";
import { usualPadding } from "../usual-padding.ts";
import { only, propose, say, type Intent, type Subject } from "./intent.ts";
import { folders } from "./run.ts";

/** The model, every value said: the parser's own defaults are those of GPT-2. */
export function modelIntents(subject: Subject): readonly Intent[] {
  const { plan, stage } = subject;
  const { model, batch } = plan;
  const hybrid = isHybrid(model);
  const routed = routedOf(families[model.family], model);
  return [
    ...(hybrid ? hybridIntents(subject) : [say("num_layers", model.layers, "model.layers")]),
    say("hidden_size", model.d_model, "model.d_model"),
    say("ffn_hidden_size", model.d_ff > 0 ? model.d_ff : 4 * model.d_model, "model.d_ff"),
    ...headIntents(model),
    ...only(model.mla === undefined && model.kv_heads < model.heads, () => [
      say("group_query_attention", true, "model.kv_heads"),
      say("num_query_groups", model.kv_heads, "model.kv_heads"),
    ]),
    say("seq_length", batch.sequence, "batch.sequence"),
    say("max_position_embeddings", model.context, "model.context"),
    ...positionIntents(model),
    say("normalization", model.norm === "rms" ? "RMSNorm" : "LayerNorm", "model.norm"),
    say("layernorm_epsilon", model.norm_eps, "model.norm_eps"),
    ...only(model.family === "nemotron", () => [propose("layernorm_zero_centered_gamma", true, "model.family")]),
    ...only(model.d_ff > 0, () => activationIntents(model)),
    say("add_bias_linear", model.bias, "model.bias"),
    ...only(!model.bias, () => [say("add_qkv_bias", model.qkv_bias, "model.qkv_bias")]),
    model.mla === undefined
      ? say("qk_layernorm", model.qk_norm, "model.qk_norm")
      : propose("qk_layernorm", true, "model.family"),
    ...only((model.window ?? 0) > 0, () => [say("window_size", [(model.window ?? 1) - 1, 0], "model.window")]),
    say("untie_embeddings_and_output_weights", !model.tied, "model.tied"),
    say("hidden_dropout", dropsStream.has(model.family) ? model.dropout : 0, "model.dropout"),
    say("attention_dropout", model.dropout, "model.dropout"),
    say("init_method_std", model.init_std, "model.init_std"),
    ...(model.mla === undefined ? [] : latentIntents(model.mla)),
    ...(routed === undefined ? [] : expertIntents(model, routed, groupsExperts(subject.cluster.device))),
    ...tokenIntents(subject),
    say("transformer_impl", "transformer_engine", "engine"),
    say("attention_backend", attentionBackends[stage.attention], stage.attention === "sdpa" ? "engine" : "attention"),
  ];
}

function tokenIntents({ stage, plan: { model, layout } }: Subject): readonly Intent[] {
  const { conversations } = stage;
  if (conversations === undefined)
    return [
      say("vocab_size", countsItsOwn(stage) ? model.vocab - 1 : model.vocab, "model.vocab"),
      // Data are token ids already: all that a tokenizer has to know is how many there are.
      say("tokenizer_type", "NullTokenizer", "data"),
      propose("make_vocab_size_divisible_by", usualPadding, "layout.padded_vocab"),
    ];
  const { tokenizer, template } = conversations;
  return [
    say("tokenizer_type", "SFTTokenizer", "data.format"),
    say("tokenizer_model", tokenizer.kind === "hf" ? tokenizer.name : folders.data, "data.tokenizer"),
    say("sft_tokenizer_prompt_format", promptFormats[template ?? "tokenizer"], "data.format"),
    // The tokenizer's own size, rounded up to the rows of the model's table.
    say("make_vocab_size_divisible_by", (layout.padded_vocab ?? model.vocab) / layout.tensor_parallel, "model.vocab"),
  ];
}

/** As megatron/core/tokenizers/text/libraries/sft_tokenizer.py calls them. */
export const promptFormats: Readonly<Record<ChatTemplate, string>> = {
  tokenizer: "default",
  contents: "identity",
  nemotron_h_aligned: "nemotron-h-aligned",
  nemotron_nano_v2: "nemotron-nano-v2",
};

/** `NullTokenizer` laid its end of a document behind the tokens that it was told of, until 0.18 took the last one of them. */
function countsItsOwn({ megatron: { version, entry } }: Subject["stage"]): boolean {
  const named = version === null || entry !== undefined ? null : knownVersionOf(version.value);
  return named !== null && below(named, "0.18");
}

const attentionBackends = { sdpa: "auto", flash_attention_2: "flash", eager: "unfused" } as const;

/** Families whose `dropout` acts on the residual stream as well. */
const dropsStream: ReadonlySet<string> = new Set(["gpt2", "gpt_neox", "nemotron_h"]);

/** A pattern of layers of several kinds is `pretrain_hybrid.py`'s. */
export function isHybrid({ ssm }: SizedModel): boolean {
  return ssm !== undefined;
}

function positionIntents({ positions, rotary_fraction, rope_theta }: SizedModel): readonly Intent[] {
  const from = "model.positions";
  if (positions !== "rope")
    return [say("position_embedding_type", positions === "learned" ? "learned_absolute" : "none", from)];
  return [
    say("position_embedding_type", "rope", from),
    say("rotary_percent", rotary_fraction, "model.rotary_fraction"),
    say("rotary_base", rope_theta, "model.rope_theta"),
  ];
}

/** Heads are asked for and held against the ranks even where no layer has attention: those of Mamba divide among them as well. */
function headIntents({ heads, head_dim, mla, ssm }: SizedModel): readonly Intent[] {
  if (heads === 0)
    return [
      say("num_attention_heads", ssm?.heads ?? 1, "model.ssm.heads"),
      say("kv_channels", ssm?.head_dim ?? 64, "model.ssm.head_dim"),
    ];
  return [
    say("num_attention_heads", heads, "model.heads"),
    ...only(mla === undefined, () => [say("kv_channels", head_dim, "model.head_dim")]),
  ];
}

/** Without a switch the activation is GELU, exact unless it is fused with a bias (megatron/core/fusions/fused_bias_gelu.py). */
function activationIntents({ activation, gated }: SizedModel): readonly Intent[] {
  const from = "model.activation";
  if (gated) return [say("swiglu", true, "model.gated")];
  if (activation === "relu2") return [say("squared_relu", true, from)];
  return [say("bias_gelu_fusion", activation === "gelu_tanh", from)];
}

function latentIntents(mla: NonNullable<SizedModel["mla"]>): readonly Intent[] {
  return [
    say("multi_latent_attention", true, "model.mla"),
    ...only(mla.q_rank > 0, () => [say("q_lora_rank", mla.q_rank, "model.mla.q_rank")]),
    say("kv_lora_rank", mla.kv_rank, "model.mla.kv_rank"),
    say("qk_head_dim", mla.nope_dim, "model.mla.nope_dim"),
    say("qk_pos_emb_head_dim", mla.rope_dim, "model.mla.rope_dim"),
    say("v_head_dim", mla.v_dim, "model.mla.v_dim"),
    propose("rope_type", "rope", "model.positions"),
    // The fused kernel of latent attention rotates by YaRN alone.
    say("apply_rope_fusion", false, "engine"),
  ];
}

/** Of each layer: does it have experts? */
export function routedLayers(model: SizedModel): readonly boolean[] {
  const family = families[model.family];
  return Array.from(
    { length: model.layers },
    (_, at) => layerAt(family, model, at)?.tensors.some((tensor) => tensor.routed) === true,
  );
}

function expertIntents(
  model: SizedModel,
  moe: NonNullable<SizedModel["moe"]>,
  isGrouped: boolean,
): readonly Intent[] {
  const routed = routedLayers(model);
  const shared = (moe.shared_experts ?? 0) * (moe.shared_d_ff ?? 0);
  return [
    say("num_experts", moe.experts, "model.moe.experts"),
    say("moe_router_topk", moe.top_k, "model.moe.top_k"),
    say("moe_ffn_hidden_size", moe.d_ff, "model.moe.d_ff"),
    ...only(!isHybrid(model), () => [
      say("moe_layer_freq", routed.every((one) => one) ? 1 : routed.map(Number), "model.moe.first_dense"),
    ]),
    ...only(shared > 0, () => [say("moe_shared_expert_intermediate_size", shared, "model.moe.shared_d_ff")]),
    ...routerIntents(model, moe),
    ...only((moe.capacity ?? 0) > 0, () => [
      say("moe_expert_capacity_factor", moe.capacity ?? 1, "model.moe.capacity"),
    ]),
    say("moe_router_dtype", "fp32", "the router, where rounding would move tokens"),
    say("moe_grouped_gemm", isGrouped, isGrouped ? "engine" : "cluster.gpu"),
    say("moe_token_dispatcher_type", "alltoall", "engine"),
  ];
}

/** How scores are made and balanced, as each family publishes it. */
function routerIntents(model: SizedModel, moe: NonNullable<SizedModel["moe"]>): readonly Intent[] {
  const corrected = moe.router_bias === true;
  const auxiliary = moe.aux_loss ?? 0;
  const balance = auxiliary > 0 ? "aux_loss" : "none";
  return [
    // A correction of sigmoid scores that no gradient moves (DeepSeek-V3, arXiv 2412.19437, section 2.1.2).
    propose("moe_router_score_function", corrected ? "sigmoid" : "softmax", "model.moe.router_bias"),
    ...only(corrected, () => [
      say("moe_router_enable_expert_bias", true, "model.moe.router_bias"),
      propose("moe_router_bias_update_rate", 1e-3, "model.moe.router_bias"),
    ]),
    ...only(model.family === "deepseek_v3", () => [
      // transformers DeepseekV3Config: routed_scaling_factor
      propose("moe_router_topk_scaling_factor", 2.5, "model.family"),
    ]),
    // DeepSeek-V2 keeps the scores of a softmax over all experts, others normalise those of the chosen.
    ...only(!corrected, () => [propose("moe_router_pre_softmax", model.family === "deepseek_v2", "model.family")]),
    propose(
      "moe_router_load_balancing_type",
      [corrected && auxiliary > 0 ? "seq_aux_loss" : balance],
      "model.moe.aux_loss",
    ),
    say("moe_aux_loss_coeff", [auxiliary], "model.moe.aux_loss"),
  ];
}

function hybridIntents({ plan: { model, layout }, stage }: Subject): readonly Intent[] {
  const { pattern, layers, ssm } = model;
  const letters = pattern ?? "M".repeat(layers);
  const cut = uneven.some((name) => rawWord(stage.rawMegatron, name) !== undefined);
  return [
    say(
      "hybrid_layer_pattern",
      cut ? letters : segmentsOf(letters, layout.pipeline_parallel),
      pattern === undefined ? "model.layers" : "model.pattern",
    ),
    propose("spec", ["megatron.core.models.hybrid.hybrid_layer_specs", "hybrid_stack_spec"], "model.family"),
    say("mamba_state_dim", ssm?.state ?? 128, "model.ssm.state"),
    say("mamba_head_dim", ssm?.head_dim ?? 64, "model.ssm.head_dim"),
    say("mamba_num_groups", ssm?.groups ?? 1, "model.ssm.groups"),
    ...(ssm?.heads === undefined ? [] : [say("mamba_num_heads", ssm.heads, "model.ssm.heads")]),
  ];
}

/** Beside these a pattern says nothing of stages. */
const uneven = ["decoder_first_pipeline_num_layers", "decoder_last_pipeline_num_layers"];

/** One that does not say where its stages end is cut evenly all the same, and has been deprecated since 0.17. */
function segmentsOf(pattern: string, stages: number): string {
  const length = pattern.length / stages;
  return Array.from({ length: stages }, (_, stage) => pattern.slice(stage * length, (stage + 1) * length)).join("|");
}
