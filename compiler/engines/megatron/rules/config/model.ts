/** The model's shape and kinds of layer, as the model configuration checks them. */
import type { Arguments } from "../../launch.ts";
import { rulesOf, settle, type Step } from "../../step.ts";

const { ban, demand } = rulesOf("megatron/core/transformer/transformer_config.py: TransformerConfig.__post_init__");
const latent = rulesOf("megatron/core/transformer/transformer_config.py: MLATransformerConfig.__post_init__");
const parallel = rulesOf("megatron/core/model_parallel_config.py: ModelParallelConfig.__post_init__");
const building = rulesOf("megatron/training/argument_utils.py: core_transformer_config_from_args");

/** Key-value heads: all of them unless queries are grouped. */
const groupsOf = (a: Arguments): number =>
  (a.group_query_attention ? a.num_query_groups : null) ?? a.num_attention_heads ?? 1;

const isDelta = (a: Arguments): boolean => ["gdn", "gdn2"].includes(a.experimental_attention_variant ?? "");
const isSparse = (a: Arguments): boolean => a.experimental_attention_variant === "dsa";

export const kindConfig: readonly Step[] = [
  building.ban("heterogeneous-latent", {
    about: ["heterogeneous_layers_config_path", "multi_latent_attention"],
    when: (a) => a.heterogeneous_layers_config_path !== null && a.multi_latent_attention,
    says: "layers that differ cannot be combined with --multi-latent-attention",
    why: "The file describes grouped attention layer by layer and cannot describe latents. The two would describe the same layers differently.",
    fix: "Leave --multi-latent-attention out, or --heterogeneous-layers-config-path.",
    fires: "--heterogeneous-layers-config-path layers.json --multi-latent-attention",
    silent: "--multi-latent-attention",
  }),
  building.ban("activation-two", {
    about: ["squared_relu", "quick_geglu", "swiglu"],
    when: (a) => a.swiglu && (a.squared_relu || a.quick_geglu),
    says: "--swiglu cannot be combined with --squared-relu or --quick-geglu",
    why: "An MLP has one activation, and two are requested. The engine's own message is empty.",
    fix: "Keep one of --swiglu, --squared-relu and --quick-geglu.",
    fires: "--swiglu --squared-relu",
    silent: "--squared-relu",
  }),
  building.ban("initialization-xavier", {
    about: ["init_method_xavier_uniform"],
    when: (a) => a.init_method_xavier_uniform,
    says: "--init-method-xavier-uniform always fails in this version",
    why: "The option passes an unknown argument to the model's configuration: every launch with it stops with a TypeError.",
    fix: "Leave --init-method-xavier-uniform out and set --init-method-std.",
    fires: "--init-method-xavier-uniform",
    silent: "--init-method-std 0.02",
  }),
  building.ban("rope-type", {
    about: ["rope_type", "multi_latent_attention"],
    when: (a) => a.rope_type !== null && a.rope_type !== "rope" && !a.multi_latent_attention,
    says: "--rope-type yarn belongs to --multi-latent-attention",
    why: "--rope-type chooses the rotation of latent attention only; ordinary attention would rotate otherwise than was asked.",
    fix: "Write --position-embedding-type yarn for ordinary attention, or add --multi-latent-attention.",
    fires: "--rope-type yarn",
    silent: "--rope-type yarn --multi-latent-attention",
  }),
  building.ban("quantization-two-recipes", {
    about: ["te_precision_config_file", "kitchen_config_file"],
    when: (a) =>
      a.te_precision_config_file !== null && (a.kitchen_config_file !== null || a.kitchen_recipe_number !== null),
    says: "--te-precision-config-file and a kitchen recipe both say how layers are quantized",
    why: "Layers are quantized by one recipe, but two are given.",
    fix: "Leave --te-precision-config-file out, or --kitchen-config-file and --kitchen-recipe-number.",
    fires: "--te-precision-config-file te.yaml --kitchen-recipe-number 1",
    silent: "--te-precision-config-file te.yaml",
  }),
  settle(["experimental_attention_variant"], (a) => {
    if (a.experimental_attention_variant === "gated_delta_net") a.experimental_attention_variant = "gdn";
    if (a.hybrid_layer_pattern?.includes("D") === true) a.experimental_attention_variant = "dsa";
  }),
];

export const shapeConfig: readonly Step[] = [
  parallel.demand("embedding-gradients", {
    about: ["defer_embedding_wgrad_compute", "pipeline_model_parallel_size", "wgrad_deferral_limit"],
    check: (a) => {
      if (!a.defer_embedding_wgrad_compute) return null;
      if (a.pipeline_model_parallel_size === 1) return "--defer-embedding-wgrad-compute needs pipeline parallelism";
      if (!a.gradient_accumulation_fusion)
        return "--defer-embedding-wgrad-compute cannot be combined with --no-gradient-accumulation-fusion";
      return a.wgrad_deferral_limit < 0 ? `--wgrad-deferral-limit ${a.wgrad_deferral_limit} is negative` : null;
    },
    why: "The last stage computes the gradient of its embedding while the pipeline drains, with the fused kernel.",
    fix: "Give --pipeline-model-parallel-size 2 or more, fused accumulation and a --wgrad-deferral-limit of at least 0; or leave --defer-embedding-wgrad-compute out.",
    fires: "--defer-embedding-wgrad-compute",
    silent: "--defer-embedding-wgrad-compute --pipeline-model-parallel-size 2",
  }),
  parallel.ban("pipeline-flush-overlap", {
    about: ["overlap_p2p_comm_warmup_flush", "overlap_p2p_comm"],
    when: (a) => a.overlap_p2p_comm_warmup_flush && !a.overlap_p2p_comm,
    says: "--overlap-p2p-communication-warmup-flush needs an interleaved pipeline with overlapped transfers",
    why: "Warm-up and flush are overlapped like the rest, which needs several chunks per rank.",
    fix: "Give virtual stages (--num-layers-per-virtual-pipeline-stage N) and leave --no-overlap-p2p-communication out; or leave --overlap-p2p-communication-warmup-flush out.",
    fires: "--overlap-p2p-communication-warmup-flush --pipeline-model-parallel-size 2",
    silent:
      "--overlap-p2p-communication-warmup-flush --pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 3",
  }),
  ban("hidden-state-mixing", {
    about: ["mtp_hsm", "mtp_num_layers"],
    when: (a) => a.mtp_hsm && (a.mtp_num_layers ?? 0) < 2,
    says: "--mtp-hsm has nothing to mix with fewer than two prediction layers: the engine turns it off",
    why: "The hidden states of several prediction depths are mixed. With fewer than two, the engine silently turns it off.",
    fix: "Give --mtp-num-layers 2 or more, or leave --mtp-hsm out.",
    severity: "warning",
    fires: "--mtp-hsm --mtp-num-layers 1 --position-embedding-type rope",
    silent: "--mtp-hsm --mtp-num-layers 2 --position-embedding-type rope",
  }),
  ban("householder", {
    about: ["gdp_num_householder"],
    when: (a) => a.gdp_num_householder < 1,
    says: "--gdp-num-householder must be at least 1",
    why: "A gated delta product multiplies this number of reflections, which must be at least 1.",
    fix: "Set --gdp-num-householder to 1 or more.",
    fires: "--gdp-num-householder 0",
    silent: "--gdp-num-householder 2",
  }),
  demand("heads-tensor-parallel", {
    about: ["num_attention_heads", "tensor_model_parallel_size"],
    check: ({ num_attention_heads: heads, tensor_model_parallel_size: ranks }) =>
      heads === null || heads % ranks === 0
        ? null
        : `${heads} heads cannot be divided evenly among ${ranks} tensor-parallel ranks`,
    valid: (a) => headsFor(a),
    why: "Every tensor-parallel rank computes the same number of whole heads. Otherwise building the model stops.",
    fix: "Choose a tensor-parallel size that divides the heads, or a number of heads that is a multiple of it and divides --hidden-size.",
    fires: "--num-attention-heads 6 --tensor-model-parallel-size 4",
    silent: "--num-attention-heads 8 --tensor-model-parallel-size 4",
  }),
  demand("groups-tensor-parallel", {
    about: ["num_query_groups", "tensor_model_parallel_size"],
    check: (a) => {
      const [groups, ranks] = [groupsOf(a), a.tensor_model_parallel_size];
      // Without groups they are the heads, which are told of themselves.
      if (groups === a.num_attention_heads) return null;
      return groups % ranks === 0 || ranks % groups === 0
        ? null
        : `neither of ${groups} query groups and ${ranks} tensor-parallel ranks is a multiple of the other`;
    },
    why: "Either ranks hold the same number of key-value heads, or the same number of ranks share one. Otherwise some rank would have part of a head.",
    fix: "Set --num-query-groups to a multiple or a divisor of --tensor-model-parallel-size, or change that size.",
    fires: "--group-query-attention --num-query-groups 3 --tensor-model-parallel-size 4",
    silent: "--group-query-attention --num-query-groups 4 --tensor-model-parallel-size 4",
  }),
  ban("groups-unused", {
    about: ["num_query_groups", "group_query_attention"],
    when: (a) => !a.group_query_attention && a.num_query_groups !== null && a.num_query_groups > 1,
    says: "--num-query-groups does nothing without --group-query-attention: every head gets keys and values of its own",
    why: "The engine accepts the number but builds ordinary attention, with more parameters and a larger cache than intended.",
    fix: "Add --group-query-attention, or leave --num-query-groups out.",
    severity: "warning",
    fires: "--num-query-groups 4",
    silent: "--num-query-groups 4 --group-query-attention",
  }),
  demand("delta-net", {
    about: ["experimental_attention_variant", "linear_num_value_heads", "linear_num_key_heads"],
    check: (a) => {
      if (!isDelta(a)) return null;
      if (a.experimental_attention_variant === "gdn" && a.linear_attention_freq === null)
        return "a gated delta net needs --linear-attention-freq";
      const [keys, values] = [a.linear_num_key_heads, a.linear_num_value_heads];
      if (keys === null || values === null || keys < 1)
        return "a gated delta net needs --linear-num-key-heads and --linear-num-value-heads";
      const ranks = a.tensor_model_parallel_size * a.context_parallel_size;
      if (values % keys !== 0) return `${values} value heads are not a multiple of ${keys} key heads`;
      return keys % ranks === 0 && values % ranks === 0
        ? null
        : `${keys} key heads and ${values} value heads cannot be divided evenly among tensor x context = ${ranks} ranks`;
    },
    why: "The frequency says which layers have linear attention; their heads are divided among tensor- and context-parallel ranks.",
    fix: "Give --linear-attention-freq, and --linear-num-key-heads and --linear-num-value-heads that are multiples of tensor x context ranks, with the value heads a multiple of the key heads.",
    fires: "--experimental-attention-variant gated_delta_net",
    silent: "--experimental-attention-variant gated_delta_net --linear-attention-freq 4",
  }),
  demand("sparse-attention", {
    about: [
      "experimental_attention_variant",
      "add_bias_linear",
      "dsa_indexer_topk_freq",
      "dsa_indexer_skip_topk_offset",
    ],
    check: (a) => {
      if (!isSparse(a)) return null;
      if (a.add_bias_linear) return "sparse attention needs --disable-bias-linear";
      if (a.dsa_indexer_topk_freq < 1) return `--dsa-indexer-topk-freq ${a.dsa_indexer_topk_freq} is not positive`;
      return a.dsa_indexer_skip_topk_offset < 0
        ? `--dsa-indexer-skip-topk-offset ${a.dsa_indexer_skip_topk_offset} is negative`
        : null;
    },
    why: "Its projections are absorbed into one another, which biases would prevent; the indexer selects keys every Nth layer.",
    fix: "Add --disable-bias-linear, and set --dsa-indexer-topk-freq to 1 or more and --dsa-indexer-skip-topk-offset to 0 or more.",
    fires: "--experimental-attention-variant dsa --multi-latent-attention --no-rope-fusion --dsa-indexer-topk-freq 0",
    silent: "--experimental-attention-variant dsa --multi-latent-attention --no-rope-fusion",
  }),
  demand("sparse-attention-rope", {
    about: ["apply_rope_fusion", "experimental_attention_variant", "cp_comm_type"],
    check: (a) => {
      if (!isSparse(a)) return null;
      if (a.apply_rope_fusion) return "sparse attention needs --no-rope-fusion";
      const gathers = a.cp_comm_type.every((each) => each.replaceAll("_", "").toLowerCase() === "allgather");
      return a.context_parallel_size > 1 && !gathers ? "sparse attention needs --cp-comm-type all_gather" : null;
    },
    why: "The indexer reads keys before they are rotated, and needs those of all ranks at once.",
    fix: "Add --no-rope-fusion, and with context parallelism --cp-comm-type all_gather.",
    fires: "--experimental-attention-variant dsa --multi-latent-attention --position-embedding-type rope",
    silent: "--experimental-attention-variant dsa --multi-latent-attention --no-rope-fusion",
  }),
];

export const latentConfig: readonly Step[] = [
  ban("rope-interleaved", {
    about: ["rotary_interleaved", "multi_latent_attention"],
    when: (a) => a.multi_latent_attention && a.rotary_interleaved,
    says: "--rotary-interleaved cannot be combined with --multi-latent-attention",
    why: "Latent attention rotates a separate part of each head, in its own order. The switch would change that order, and is refused.",
    fix: "Leave --rotary-interleaved out, or --multi-latent-attention.",
    fires: "--multi-latent-attention --rotary-interleaved",
    silent: "--multi-latent-attention",
  }),
  ban("rope-interleaved-kernel", {
    about: ["rotary_interleaved", "apply_rope_fusion"],
    when: (a, { te }) => a.apply_rope_fusion && !a.multi_latent_attention && a.rotary_interleaved && !te("2.3.0"),
    says: "--rotary-interleaved with fused rotation needs Transformer Engine 2.3 or later",
    why: "Before Transformer Engine 2.3 the fused kernels rotate only the halves of a head; the requested pairs of neighbouring channels would be rotated wrongly.",
    fix: "Add --no-rope-fusion, or use an image with Transformer Engine 2.3 or later.",
    fires: "--position-embedding-type rope --rotary-interleaved TE=2.1.0",
    silent: "--position-embedding-type rope --rotary-interleaved",
  }),
  ban("rope-fusion-kernel", {
    about: ["apply_rope_fusion"],
    when: (a, { te }) => a.apply_rope_fusion && !a.multi_latent_attention && !te("1.4"),
    says: "fused rotation needs Transformer Engine: add --no-rope-fusion",
    why: "The fused rotation comes from Transformer Engine, from 1.4 on, and is on unless it is turned off.",
    fix: "Add --no-rope-fusion, or use an image with Transformer Engine 1.4 or later.",
    base: "local",
    fires: "--position-embedding-type rope TE=none",
    silent: "--position-embedding-type rope --no-rope-fusion TE=none",
  }),
  latent.ban("mla-rope-fusion", {
    about: ["apply_rope_fusion", "rope_type"],
    when: (a) => a.multi_latent_attention && a.apply_rope_fusion && a.rope_type === "rope",
    says: "fused rotation with --multi-latent-attention needs --rope-type yarn: add --no-rope-fusion",
    why: "The fused kernel of latent attention computes the scaling of yarn. With plain rotation it would scale wrongly.",
    fix: "Add --no-rope-fusion, or write --rope-type yarn.",
    fires: "--multi-latent-attention --position-embedding-type rope --rope-type rope",
    silent: "--multi-latent-attention --position-embedding-type rope --rope-type rope --no-rope-fusion",
  }),
  latent.ban("mla-output-gate", {
    about: ["attention_output_gate", "multi_latent_attention"],
    when: (a) => a.multi_latent_attention && a.attention_output_gate,
    says: "--attention-output-gate cannot be combined with --multi-latent-attention",
    why: "The gate is part of the projection in ordinary attention, which latent attention does not have.",
    fix: "Leave --attention-output-gate out, or --multi-latent-attention.",
    fires: "--multi-latent-attention --attention-output-gate",
    silent: "--attention-output-gate",
  }),
  latent.ban("mla-cache", {
    about: ["cache_mla_latents", "apply_rope_fusion"],
    when: (a) => a.multi_latent_attention && a.cache_mla_latents && a.apply_rope_fusion,
    says: "--cache-mla-latents needs --no-rope-fusion",
    why: "The cache holds keys before rotation, but the fused kernel rotates them when they are computed.",
    fix: "Add --no-rope-fusion, or leave --cache-mla-latents out.",
    fires: "--multi-latent-attention --cache-mla-latents --position-embedding-type rope",
    silent: "--multi-latent-attention --cache-mla-latents --position-embedding-type rope --no-rope-fusion",
  }),
  demand("context-comm-list", {
    about: ["cp_comm_type", "num_layers"],
    check: (a) =>
      a.context_parallel_size > 1 && a.cp_comm_type.length > 1 && a.cp_comm_type.length !== a.num_layers
        ? `--cp-comm-type lists ${a.cp_comm_type.length} ways for ${a.num_layers} layers`
        : null,
    why: "One word applies to all layers; a list has one per layer. With a list of another length some layers would not know how to exchange keys.",
    fix: "Give --cp-comm-type one word, or one per layer.",
    fires: "--context-parallel-size 2 --cp-comm-type p2p a2a",
    silent: "--context-parallel-size 2 --cp-comm-type p2p",
  }),
  demand("no-rope-pattern", {
    about: ["no_rope_freq", "num_layers"],
    check: (a) => {
      const pattern = a.no_rope_freq;
      if (pattern === null || pattern === 0) return null;
      if (a.flash_decode) return "--no-rope-freq cannot be combined with --flash-decode";
      const layers = a.num_layers ?? 0;
      if (typeof pattern === "number")
        return layers % pattern === 0 ? null : `--no-rope-freq ${pattern} does not divide ${layers} layers`;
      return pattern.length === layers ? null : `--no-rope-freq lists ${pattern.length} layers of ${layers}`;
    },
    why: "A number N skips rotation in every Nth layer; a list has one entry per layer.",
    fix: "Set --no-rope-freq to a divisor of --num-layers, or to a list with one entry per layer; leave --flash-decode out.",
    fires: "--no-rope-freq 5",
    silent: "--no-rope-freq 4",
  }),
];

/** Numbers of heads near the one that is given, of whole heads on each rank; they divide the width unless a head's own is given. */
function headsFor(a: Arguments): number[] {
  const [heads, ranks, width] = [a.num_attention_heads ?? 1, a.tensor_model_parallel_size, a.hidden_size ?? 0];
  const derived = a.kv_channels === null || a.kv_channels === Math.floor(width / heads);
  const fits = (each: number): boolean => each % ranks === 0 && (!derived || width % each === 0);
  const below = Array.from({ length: heads }, (_, at) => heads - at).find(fits);
  const above = Array.from({ length: heads * ranks }, (_, at) => heads + 1 + at).find(fits);
  return [below, above].flatMap((each) => each ?? []);
}
