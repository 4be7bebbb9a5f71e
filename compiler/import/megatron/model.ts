/** What a Megatron command line says of its model, in the language's properties. */
import { below } from "../../engines/release.ts";
import type { Scalar } from "../../pipeline.ts";
import type { Traits } from "./family.ts";
import type { Values } from "./numbers.ts";
import type { Reading } from "./reading.ts";

export interface ModelRead {
  readonly traits: Traits;
  /** Why a trait is a guess, by its path. */
  readonly guessed: Readonly<Record<string, string>>;
}

const unsaid = "no argument gives it";

export function modelOf(reading: Reading, values: Values, fallback: { readonly layers: number }): ModelRead {
  const { number, text, on } = values;
  const guessed: Record<string, string> = {};
  const sure = (path: string, value: number | null, otherwise: number, why = unsaid): number => {
    if (value === null) guessed[path] = why;
    return value ?? otherwise;
  };
  const pattern = lettersOf(text("hybrid_layer_pattern"));
  const width = sure("d_model", number("hidden_size"), 1024);
  // What the engine makes of a width that nobody said is no value of the launch.
  const ofWidth = (dest: string): number | null =>
    "d_model" in guessed && !values.given(dest) ? null : number(dest);
  const heads = sure("heads", number("num_attention_heads"), Math.max(1, Math.round(width / 64)));
  const layers =
    pattern?.length ?? sure("layers", number("num_layers") ?? number("encoder_num_layers"), fallback.layers);
  const isLatent = on("multi_latent_attention");
  const positions = positionsOf(values);
  const isGated = on("swiglu");
  const bias = on("add_bias_linear");
  const headWidth = ofWidth("kv_channels") ?? Math.floor(width / heads);
  const traits: Record<string, Scalar> = {
    ...(pattern === null ? { layers } : { pattern }),
    d_model: width,
    heads,
    ...(isLatent ? {} : { kv_heads: keyHeads(values, heads), head_dim: headWidth }),
    d_ff: sure("d_ff", ofWidth("ffn_hidden_size"), isGated ? Math.floor((4 * width * 2) / 3 / 64) * 64 : 4 * width),
    vocab: vocabOf(reading, values, guessed),
    context: sure("context", number("max_position_embeddings") ?? number("seq_length"), 1024),
    norm: text("normalization") === "RMSNorm" ? "rms" : "layer",
    norm_eps: number("norm_epsilon") ?? number("layernorm_epsilon") ?? 1e-5,
    gated: isGated,
    activation: activationOf(values, bias),
    bias,
    qkv_bias: bias || on("add_qkv_bias"),
    ...(isLatent ? {} : { qk_norm: on("qk_layernorm") }),
    positions,
    ...(positions === "rope"
      ? { rotary_fraction: number("rotary_percent") ?? 1, rope_theta: number("rotary_base") ?? 10000 }
      : {}),
    tied: !on("untie_embeddings_and_output_weights"),
    parallel_residual: false,
    // One part without any has no word of its own.
    dropout: (number("attention_dropout") ?? 0.1) || (number("hidden_dropout") ?? 0.1),
    init_std: number("init_method_std") ?? 0.02,
    ...windowOf(values),
    ...(isLatent ? latentOf(values, headWidth) : {}),
    ...(number("num_experts") === null ? {} : expertsOf(values, layers)),
    ...(pattern !== null && pattern.includes("M") ? stateSpaceOf(values) : {}),
  };
  return { traits, guessed };
}

/** Letters of layers; marks of pipelines and of layers that predict further tokens stand between them. */
export function lettersOf(pattern: string | null): string | null {
  if (pattern === null) return null;
  const main = pattern.split("/")[0] ?? "";
  const letters = main.replaceAll(/[^A-Z*-]/g, "");
  return letters === "" ? null : letters;
}

function keyHeads({ number, on }: Values, heads: number): number {
  return on("group_query_attention") ? (number("num_query_groups") ?? 1) : heads;
}

function positionsOf({ text }: Values): string {
  switch (text("position_embedding_type")) {
    case "rope":
    case "yarn":
    case "mrope":
      return "rope";
    case "none":
      return "none";
    default:
      return "learned";
  }
}

function activationOf({ on }: Values, bias: boolean): string {
  if (on("swiglu")) return "silu";
  if (on("squared_relu")) return "relu2";
  return on("bias_gelu_fusion") && bias ? "gelu_tanh" : "gelu";
}

function windowOf({ list }: Values): Traits {
  const first = list("window_size")?.[0];
  return typeof first === "number" && first > 0 ? { window: first + 1 } : {};
}

function latentOf({ number }: Values, headWidth: number): Traits {
  return {
    "mla.q_rank": number("q_lora_rank") ?? 0,
    "mla.kv_rank": number("kv_lora_rank") ?? 32,
    "mla.nope_dim": number("qk_head_dim") ?? headWidth,
    "mla.rope_dim": number("qk_pos_emb_head_dim") ?? 64,
    "mla.v_dim": number("v_head_dim") ?? headWidth,
  };
}

function expertsOf({ number, on, list }: Values, layers: number): Traits {
  const shared = number("moe_shared_expert_intermediate_size") ?? 0;
  const width = number("moe_ffn_hidden_size") ?? number("ffn_hidden_size") ?? 0;
  const dense = denseAtStart(list("moe_layer_freq"), number("moe_layer_freq"), layers);
  const coefficients = list("moe_aux_loss_coeff") ?? [number("moe_aux_loss_coeff") ?? 0];
  return {
    "moe.experts": number("num_experts") ?? 1,
    "moe.top_k": number("moe_router_topk") ?? 2,
    ...(width > 0 ? { "moe.d_ff": width } : {}),
    "moe.shared_experts": shared > 0 && width > 0 && shared % width === 0 ? shared / width : shared > 0 ? 1 : 0,
    ...(dense === null ? {} : { "moe.first_dense": dense }),
    "moe.router_bias": on("moe_router_enable_expert_bias"),
    ...(coefficients.length === 1 ? { "moe.aux_loss": Number(coefficients[0]) } : {}),
  };
}

/** Dense layers before all others have experts; `null` for any other pattern. */
function denseAtStart(pattern: readonly unknown[] | null, frequency: number | null, layers: number): number | null {
  if (pattern === null) return frequency === 1 ? 0 : null;
  const first = pattern.indexOf(1);
  return first >= 0 && pattern.length === layers && pattern.slice(first).every((one) => one === 1) ? first : null;
}

function stateSpaceOf({ number }: Values): Traits {
  const heads = number("mamba_num_heads");
  return {
    "ssm.state": number("mamba_state_dim") ?? 128,
    "ssm.head_dim": number("mamba_head_dim") ?? 64,
    "ssm.groups": number("mamba_num_groups") ?? 8,
    ...(heads === null ? {} : { "ssm.heads": heads }),
  };
}

/** Rows of the table; where a file holds the tokenizer, what tokenizers of its kind usually have. */
function vocabOf({ parsed, table }: Reading, { number, text }: Values, guessed: Record<string, string>): number {
  const own = number("vocab_size");
  const padded = number("padded_vocab_size");
  // Until 0.18 the end of a document came on top of the tokens that are named.
  if (own !== null) return below(table.version, "0.18") ? own + 1 : own;
  if (padded !== null) return padded;
  const type = text("tokenizer_type") ?? "";
  const rows = usualVocab[type] ?? 32_000;
  guessed["vocab"] = type === "" ? unsaid : `${type} keeps it in a file`;
  const tensor = parsed["tensor_model_parallel_size"];
  const part =
    (number("make_vocab_size_divisible_by") ?? 128) * (typeof tensor === "number" && tensor > 0 ? tensor : 1);
  return Math.ceil(rows / part) * part;
}

const usualVocab: Readonly<Record<string, number>> = {
  GPT2BPETokenizer: 50_257,
  BertWordPieceLowerCase: 30_522,
  BertWordPieceCase: 28_996,
  Llama2Tokenizer: 32_000,
  TikTokenizer: 131_072,
};
