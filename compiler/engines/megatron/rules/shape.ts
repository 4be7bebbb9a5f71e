/** The model's shape, as far as the argument checks know it. */
import { rulesOf, settle, type Step } from "../step.ts";
import type { Entry } from "../table.ts";

const { ban, demand } = rulesOf("megatron/training/arguments.py: validate_args");
const initial = rulesOf(
  "megatron/core/utils.py: scaled_init_method_normal; megatron/training/arguments.py: validate_args",
);
const specs = rulesOf("megatron/core/transformer/spec_utils.py: import_module");

const required = [
  ["hidden_size", "--hidden-size"],
  ["num_attention_heads", "--num-attention-heads"],
  ["max_position_embeddings", "--max-position-embeddings"],
] as const;

/** Programs that import it; others take one word for the kind of layer. */
const readSpec: ReadonlySet<Entry> = new Set(["gpt", "hybrid", "rl", "vlm"]);

export const shape: readonly Step[] = [
  demand("layers", {
    about: ["encoder_num_layers", "num_layers"],
    check: (a) => {
      if (a.num_layers !== null && a.encoder_num_layers !== null)
        return "--num-layers and --encoder-num-layers both say the depth";
      return a.num_layers === null && a.encoder_num_layers === null ? "--num-layers is missing" : null;
    },
    why: "A decoder's depth is --num-layers; models with an encoder give --encoder-num-layers and --decoder-num-layers.",
    fix: "Give only --num-layers for a decoder; for a model with an encoder give --encoder-num-layers and --decoder-num-layers.",
    fires: "--encoder-num-layers 12",
    silent: "",
  }),
  settle(["num_layers", "encoder_num_layers"], (a) => {
    a.encoder_num_layers ??= a.num_layers;
    a.num_layers ??= a.encoder_num_layers;
  }),
  ...required.map(([name, flag]) =>
    ban(`required-${flag.slice(2)}`, {
      about: [name],
      when: (a) => a[name] === null,
      says: `${flag} is missing`,
      why: "The engine has no default for the sizes of a model, and stops before it builds one.",
      fix: `Add ${flag} N.`,
      base: "sizeless",
      fires: "",
      silent: `${flag} 1024`,
    }),
  ),
  initial.demand("sizes-positive", {
    about: ["num_layers", "num_attention_heads"],
    check: ({ num_layers: layers, num_attention_heads: heads }) => {
      if (layers !== null && layers < 1) return `--num-layers ${layers} is below 1`;
      return heads === 0 ? "--num-attention-heads 0 is below 1" : null;
    },
    why: "The engine divides by the depth and by the heads before it checks them, and stops on a division by zero or the root of a negative number.",
    fix: "Give the size in the message a whole number of at least 1.",
    fires: "--num-layers 0",
    silent: "--num-layers 1",
  }),
  specs.demand("spec-words", {
    about: ["spec"],
    check: ({ spec }, { entry }) =>
      spec === null || spec.length === 2 || !readSpec.has(entry)
        ? null
        : `--spec takes a module and a name in it, and ${spec.length} word${spec.length === 1 ? " is" : "s are"} given`,
    why: "The layers of a model can be imported from Python: the first word is the module, the second the name inside it.",
    fix: "Write two words: --spec megatron.core.models.hybrid.hybrid_layer_specs hybrid_stack_spec.",
    fires: "--spec my.specs.gpt_spec",
    silent: "--spec my.specs gpt_spec",
  }),
  demand("heads-divide", {
    about: ["num_attention_heads", "hidden_size", "kv_channels"],
    check: ({ kv_channels, hidden_size: width, num_attention_heads: heads }) =>
      kv_channels !== null || width === null || !heads || width % heads === 0
        ? null
        : `width ${width} cannot be divided evenly into ${heads} heads`,
    valid: (a) => divisorsUpTo(a.hidden_size ?? 1),
    why: "A head is --hidden-size / --num-attention-heads wide unless --kv-channels sets another width. The engine's own message is empty.",
    fix: "Choose a number of heads that divides --hidden-size (`valid` lists them), or set the width of a head with --kv-channels.",
    fires: "--num-attention-heads 13",
    silent: "--num-attention-heads 16",
  }),
  settle(["ffn_hidden_size", "kv_channels"], (a) => {
    const width = a.hidden_size ?? 0;
    a.ffn_hidden_size ??= a.swiglu ? Math.floor((4 * width * 2) / 3 / 64) * 64 : 4 * width;
    if (a.num_attention_heads) a.kv_channels ??= Math.floor(width / a.num_attention_heads);
  }),
  demand("context-divides", {
    about: ["seq_length", "context_parallel_size"],
    check: ({ seq_length: length, context_parallel_size: ranks }) =>
      length === null || ranks <= 1 || length % (2 * ranks) === 0
        ? null
        : `a sequence of ${length} cannot be divided evenly into ${2 * ranks} pieces for context parallelism ${ranks}`,
    why: "Every context-parallel rank takes two pieces, one from each end, so that causal attention is balanced.",
    fix: "Set --seq-length to a multiple of 2 x --context-parallel-size, or lower --context-parallel-size.",
    fires: "--context-parallel-size 8 --seq-length 1000",
    silent: "--context-parallel-size 8 --seq-length 1024",
  }),
  demand("sequence-length", {
    about: ["seq_length", "encoder_seq_length"],
    check: (a) => {
      if (a.seq_length !== null && a.encoder_seq_length !== null)
        return "--seq-length and --encoder-seq-length both say the length of a sequence";
      return a.seq_length === null && a.encoder_seq_length === null ? "--seq-length is missing" : null;
    },
    why: "The length of a sequence is given once: two options could disagree, and without one no batch can be built. The engine's own message is empty.",
    fix: "Give --seq-length, and leave --encoder-seq-length out.",
    fires: "--encoder-seq-length 512",
    silent: "",
  }),
  settle(["seq_length", "encoder_seq_length"], (a) => {
    a.encoder_seq_length ??= a.seq_length;
    a.seq_length ??= a.encoder_seq_length;
  }),
  demand("positions-cover", {
    about: ["max_position_embeddings", "seq_length", "decoder_seq_length"],
    check: ({ max_position_embeddings: most, seq_length, decoder_seq_length }) => {
      const longest = Math.max(seq_length ?? 0, decoder_seq_length ?? 0);
      return most === null || most >= longest
        ? null
        : `--max-position-embeddings ${most} is less than a sequence of ${longest} tokens`;
    },
    why: "Every position of a sequence has its own row in the table of positions. Tokens beyond the last row would read past it.",
    fix: "Raise --max-position-embeddings to at least the length of a sequence, or shorten --seq-length.",
    fires: "--seq-length 2048",
    silent: "--seq-length 2048 --max-position-embeddings 2048",
  }),
];

export const modelKinds: readonly Step[] = [
  settle(["bias_gelu_fusion", "add_qkv_bias"], (a) => {
    if (a.add_bias_linear) a.add_qkv_bias = true;
    else a.bias_gelu_fusion = false;
  }),
  demand("qk-clip", {
    about: ["qk_clip", "qk_clip_alpha", "qk_clip_threshold", "log_max_attention_logit"],
    check: (a, { te }) => {
      if ((a.qk_clip || a.log_max_attention_logit) && !te("2.9.0"))
        return "--qk-clip and --log-max-attention-logit need Transformer Engine 2.9 or later";
      if (!a.qk_clip) return null;
      if (a.qk_clip_alpha <= 0 || a.qk_clip_alpha >= 1)
        return `--qk-clip-alpha ${a.qk_clip_alpha} is not between 0 and 1`;
      return a.qk_clip_threshold > 0 ? null : `--qk-clip-threshold ${a.qk_clip_threshold} is not positive`;
    },
    why: "Attention logits above the threshold are scaled down by a power alpha. The kernels report the largest logit from Transformer Engine 2.9 on.",
    fix: "Set --qk-clip-alpha between 0 and 1 and --qk-clip-threshold above 0, with Transformer Engine 2.9 or later; or leave --qk-clip and --log-max-attention-logit out.",
    fires: "--qk-clip --qk-clip-alpha 1.5",
    silent: "--qk-clip --qk-clip-alpha 0.5",
  }),
  settle(["position_embedding_type", "apply_rope_fusion"], (a) => {
    if (a.use_rotary_position_embeddings) a.position_embedding_type = "rope";
    if (a.position_embedding_type !== "rope") a.apply_rope_fusion = false;
  }),
  ban("positions-removed", {
    about: ["add_position_embedding", "position_embedding_type"],
    when: (a) => !a.add_position_embedding && a.position_embedding_type !== "rope",
    says: "--no-position-embedding was removed: write --position-embedding-type none",
    why: "The kind of positions is now set by one option, --position-embedding-type; the old switch stops the launch.",
    fix: "Write --position-embedding-type none instead of --no-position-embedding.",
    fires: "--no-position-embedding",
    silent: "--position-embedding-type none",
  }),
  ban("positions-relative", {
    about: ["position_embedding_type", "transformer_impl"],
    when: (a) => a.position_embedding_type === "relative" && a.transformer_impl !== "transformer_engine",
    says: "relative positions need --transformer-impl transformer_engine",
    why: "Relative positions are a bias on the attention scores, which the local kernels do not support.",
    fix: "Write --transformer-impl transformer_engine, or another --position-embedding-type.",
    base: "local",
    fires: "--position-embedding-type relative",
    silent: "--position-embedding-type rope",
  }),
  ban("positions-mrope", {
    about: ["mrope_section", "position_embedding_type"],
    when: (a) => a.position_embedding_type === "mrope" && a.mrope_section === null,
    says: "--position-embedding-type mrope needs --mrope-section",
    why: "The sections are the numbers of channels of a head that rotate with time, height and width.",
    fix: "Add --mrope-section with three numbers, such as 16 24 24, that sum to half of the rotated channels of a head.",
    fires: "--position-embedding-type mrope",
    silent: "--position-embedding-type mrope --mrope-section 8 12 12",
  }),
  settle(["num_experts", "moe_ffn_hidden_size"], (a) => {
    if (a.num_experts === 0) a.num_experts = null;
    if (a.num_experts !== null) a.moe_ffn_hidden_size ??= a.ffn_hidden_size;
  }),
  demand("experts-divide", {
    about: ["expert_model_parallel_size", "num_experts"],
    check: ({ num_experts: experts, expert_model_parallel_size: ranks }) => {
      if (ranks <= 1) return null;
      if (experts === null) return "--expert-model-parallel-size spreads experts, but --num-experts is missing";
      return experts % ranks === 0
        ? null
        : `${experts} experts cannot be divided evenly among ${ranks} expert-parallel ranks`;
    },
    valid: (a) => divisorsUpTo(a.num_experts ?? 1),
    why: "Every expert-parallel rank holds the same number of experts; otherwise some experts would be on no rank.",
    fix: "Set --expert-model-parallel-size to a divisor of --num-experts (`valid` lists them); without experts leave it out.",
    base: "moe",
    fires: "--num-experts 7",
    silent: "--num-experts 16",
  }),
];

export const latentParts: readonly Step[] = [
  ban("mla-and-gqa", {
    about: ["group_query_attention", "multi_latent_attention"],
    when: (a) => a.multi_latent_attention && a.group_query_attention,
    says: "--multi-latent-attention cannot be combined with --group-query-attention",
    why: "Latent attention rebuilds keys and values for every head from one latent, so it has no groups.",
    fix: "Leave --group-query-attention and --num-query-groups out, or --multi-latent-attention.",
    fires: "--multi-latent-attention --group-query-attention --num-query-groups 4",
    silent: "--multi-latent-attention",
  }),
  ban("mla-fused-down", {
    about: ["mla_down_proj_fusion", "multi_latent_attention"],
    when: (a) => a.mla_down_proj_fusion && !a.multi_latent_attention,
    says: "--mla-down-proj-fusion needs --multi-latent-attention",
    why: "The switch fuses the two projections down to the latents, which only latent attention has.",
    fix: "Add --multi-latent-attention, or leave --mla-down-proj-fusion out.",
    fires: "--mla-down-proj-fusion",
    silent: "--mla-down-proj-fusion --multi-latent-attention",
  }),
  demand("moe-latent", {
    about: ["moe_latent_size", "num_experts"],
    check: ({ moe_latent_size: size, num_experts: experts }) => {
      if (size === null) return null;
      if (size <= 0) return `--moe-latent-size ${size} is not positive`;
      return experts === null ? "--moe-latent-size needs --num-experts" : null;
    },
    why: "With a latent size experts work in a narrower space, between two projections. A model without experts has no such layers.",
    fix: "Add --num-experts N and give --moe-latent-size a positive number, or leave --moe-latent-size out.",
    fires: "--moe-latent-size 256",
    silent: "",
  }),
];

function divisorsUpTo(of: number): number[] {
  return Array.from({ length: Math.min(of, 256) }, (_, at) => at + 1).filter((each) => of % each === 0);
}
