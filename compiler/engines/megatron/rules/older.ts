/** What older releases demand and a newer one no longer does. */
import { rulesOf, type Step } from "../step.ts";

const optimizer = rulesOf("megatron/core/optimizer/optimizer_config.py: OptimizerConfig.__post_init__ (core 0.19)");
const model = rulesOf("megatron/core/transformer/transformer_config.py: TransformerConfig.__post_init__ (core 0.19)");
const builders = rulesOf(
  "hybrid_builders.py: hybrid_builder (core 0.18); mamba_builders.py and pretrain_mamba.py before",
);
const groups = rulesOf("megatron/core/parallel_state.py: initialize_model_parallel (core 0.9)");
const heads = rulesOf("megatron/core/transformer/transformer_config.py: TransformerConfig.__post_init__ (core 0.15)");
const dispatchers = rulesOf(
  "megatron/core/transformer/transformer_config.py: TransformerConfig.__post_init__ (core 0.11)",
);
const tokenizers = rulesOf("megatron/training/tokenizer/tokenizer.py: build_tokenizer (core 0.14)");

/** Tokenizers of that time, and the files that each wants. */
const tokenizerFiles: ReadonlyMap<string | null, readonly ("vocab_file" | "merge_file" | "tokenizer_model")[]> =
  new Map([
    ["GPT2BPETokenizer", ["vocab_file", "merge_file"]],
    ["BertWordPieceLowerCase", ["vocab_file"]],
    ["BertWordPieceCase", ["vocab_file"]],
    ["SentencePieceTokenizer", ["tokenizer_model"]],
    ["GPTSentencePieceTokenizer", ["tokenizer_model"]],
    ["Llama2Tokenizer", ["tokenizer_model"]],
    ["TikTokenizer", ["tokenizer_model"]],
  ]);

export const older: readonly Step[] = [
  optimizer.ban("optimizer-precision-shared", {
    about: ["use_precision_aware_optimizer", "use_distributed_optimizer"],
    when: (a) => a.use_precision_aware_optimizer && !a.use_distributed_optimizer,
    says: "--use-precision-aware-optimizer needs --use-distributed-optimizer before core 0.20",
    why: "Before core 0.20 only the distributed optimizer could keep its states in narrower formats.",
    fix: "Add --use-distributed-optimizer, leave --use-precision-aware-optimizer out, or use core 0.20.",
    fires: "--use-precision-aware-optimizer",
    silent: "--use-precision-aware-optimizer --use-distributed-optimizer",
    gone: "0.20",
  }),
  model.ban("inference-gates", {
    about: ["transformer_impl", "swiglu"],
    when: (a) => a.transformer_impl === "inference_optimized" && a.num_experts !== null && a.swiglu,
    says: "--transformer-impl inference_optimized has no gated experts before core 0.20",
    why: "Its kernels for experts did not support SwiGLU before core 0.20.",
    fix: "Write --transformer-impl transformer_engine, leave --swiglu out, or use core 0.20.",
    base: "moe",
    fires:
      "--transformer-impl inference_optimized --normalization RMSNorm --moe-router-dtype fp32 --swiglu --moe-grouped-gemm",
    silent:
      "--transformer-impl inference_optimized --normalization RMSNorm --moe-router-dtype fp32 --squared-relu --moe-grouped-gemm",
    gone: "0.20",
  }),
  groups.demand("expert-data-ranks", {
    about: ["expert_model_parallel_size"],
    check: (a) => {
      const [experts, data] = [a.expert_model_parallel_size, a.data_parallel_size];
      return a.num_experts === null || experts < 1 || data % experts === 0
        ? null
        : `${data} data-parallel ranks cannot be divided evenly among ${experts} expert-parallel ranks before core 0.10`;
    },
    why: "Before core 0.10 experts had no process grid of their own: expert-parallel ranks were taken from the data-parallel ones.",
    fix: "Choose an --expert-model-parallel-size that divides the data-parallel ranks, or use core 0.10.",
    base: "moe",
    fires: "--expert-model-parallel-size 4 --tensor-model-parallel-size 4",
    silent: "--expert-model-parallel-size 2 --tensor-model-parallel-size 4",
    gone: "0.10",
  }),
  builders.ban("hybrid-spec", {
    about: ["spec"],
    when: (a, { entry, given }) =>
      entry === "hybrid" &&
      a.spec === null &&
      a.transformer_impl !== "inference_optimized" &&
      // A checkpoint may bring it, and one of ModelOpt has a builder of its own.
      !(a.use_checkpoint_args || (a.load !== null && [...given.keys()].some((dest) => dest.startsWith("export_")))),
    says: "a hybrid model needs --spec before core 0.19: nothing else says what its layers are made of",
    why: "Before core 0.19 the program for Mamba and hybrid models builds its layers from the specification that --spec names. It has none of its own and stops when the model is built.",
    fix: "Add --spec megatron.core.models.hybrid.hybrid_layer_specs hybrid_stack_spec (before 0.18: megatron.core.models.mamba.mamba_layer_specs mamba_stack_spec), or take core 0.19.",
    base: "specless",
    fires: "",
    silent: "--spec megatron.core.models.hybrid.hybrid_layer_specs hybrid_stack_spec",
    gone: "0.19",
  }),
  heads.demand("groups-ranks", {
    about: ["num_query_groups", "tensor_model_parallel_size"],
    check: (a) => {
      const [has, ranks] = [a.num_query_groups, a.tensor_model_parallel_size];
      if (!a.group_query_attention || has === null) return null;
      // What no release takes is told by the rule of them all.
      return has < ranks && ranks % has === 0
        ? `${has} query groups cannot be divided evenly among ${ranks} tensor-parallel ranks before core 0.16`
        : null;
    },
    why: "Until core 0.15 each tensor-parallel rank holds whole query groups. From 0.16 on several ranks may share one.",
    fix: "Choose a --tensor-model-parallel-size that divides --num-query-groups, or use Megatron core 0.16.",
    fires: "--group-query-attention --num-query-groups 2 --tensor-model-parallel-size 4",
    silent: "--group-query-attention --num-query-groups 4 --tensor-model-parallel-size 4",
    gone: "0.16",
  }),
  dispatchers.demand("capacity-dispatcher", {
    about: ["moe_token_dispatcher_type", "moe_expert_capacity_factor"],
    check: ({ moe_expert_capacity_factor: capacity, moe_token_dispatcher_type: kind }) =>
      capacity === null || kind === null || kind.startsWith("alltoall") || kind === "flex"
        ? null
        : `the dispatcher ${kind} does not support an expert capacity before core 0.12`,
    valid: () => ["alltoall"],
    why: "Before core 0.12 only the alltoall dispatcher drops tokens beyond an expert's capacity; allgather, the default, refuses a capacity.",
    fix: "Write --moe-token-dispatcher-type alltoall, or remove --moe-expert-capacity-factor.",
    base: "moe",
    fires: "--moe-expert-capacity-factor 1.0 --moe-token-dispatcher-type allgather",
    silent: "--moe-expert-capacity-factor 1.0",
    gone: "0.12",
  }),
  tokenizers.demand("tokenizer-files", {
    about: ["tokenizer_type"],
    check: (a) => {
      const missing = (tokenizerFiles.get(a.tokenizer_type) ?? []).filter((name) => a[name] === null);
      const options = missing.map((name) => `--${name.replaceAll("_", "-")}`);
      return options.length === 0
        ? null
        : `--tokenizer-type ${a.tokenizer_type} needs ${options.join(" and ")} before core 0.15`;
    },
    why: "Until core 0.14 each tokenizer needs its files, even with mock data, and stops on an assertion without a message. Later releases fetch those of GPT-2 themselves.",
    fix: "Give the files, or --tokenizer-type NullTokenizer with --vocab-size for mock data.",
    fires: "--tokenizer-type GPT2BPETokenizer",
    silent: "",
    gone: "0.15",
  }),
];
