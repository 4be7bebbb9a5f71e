/** Settings of Megatron Bridge that need or exclude one another. Only what is written is held against it: a recipe may say the rest. */
import { itemsOf, numberAt, scalarOf } from "../../documents/located.ts";
import { base, each } from "./bridge.ts";
import { is, part, unless, unsaid, usesMegatronFsdp } from "./settings.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";

const second = `${base.replaceAll(/_size: 2/g, "_size: 1")}  bf16: true\nddp:\n  use_megatron_fsdp: true\n  megatron_fsdp_version: 2\n`;

/** How ranks that share a sequence may exchange it. */
const ways: readonly string[] = ["p2p", "all_gather", "a2a", "a2a+p2p"];

/** What ranks that exchange heads share. */
const shared = [
  ["heads", "model.num_attention_heads"],
  ["query groups", "model.num_query_groups"],
] as const;

/** Classes of data to fine-tune on. */
const tuning = /^(?:Finetuning|GPTSFT|DirectHFSFT|Energon|MockVLMSFT)DatasetConfig$/;

export const bridgeConditionRules: readonly ForeignRule[] = [
  rule({
    name: "bridge-packing",
    source: "megatron/bridge/training/config.py: FinetuningDatasetConfig, ConfigContainer.validate",
    why: "With packed sequences `micro_batch_size` must be 1. Fine-tuning data with context parallelism computes the loss per token, and does not average in the collective.",
    fix: "Set micro_batch_size to 1 for packed sequences; with context parallelism set calculate_per_token_loss to true and average_in_collective to false.",
    check: each((root) => {
      const packed = numberAt(part(root, "dataset.packed_sequence_specs.packed_sequence_size"));
      const micro = part(root, "train.micro_batch_size");
      const found: Found[] = [];
      if (packed !== null && packed > 0 && micro !== undefined && (numberAt(micro) ?? 1) > 1)
        found.push({
          span: micro.span,
          message: `packed sequences need micro_batch_size 1, not ${numberAt(micro)}`,
          valid: ["1"],
        });
      const kind =
        String(scalarOf(part(root, "dataset._target_")) ?? "")
          .split(".")
          .at(-1) ?? "";
      if ((packed === null && !tuning.test(kind)) || (numberAt(part(root, "model.context_parallel_size")) ?? 1) <= 1)
        return found;
      const because = { path: "model.context_parallel_size", says: "fine-tuning with context parallelism" };
      return [
        ...found,
        ...unless(root, because, [
          ["model.calculate_per_token_loss", true],
          ["ddp.average_in_collective", false],
        ]),
        ...unsaid(root, because, "model.calculate_per_token_loss", "true"),
      ];
    }),
    fires: {
      "b.yaml": `${base}train:\n  micro_batch_size: 2\ndataset:\n  packed_sequence_specs:\n    packed_sequence_size: 4096\n    pad_seq_to_mult: 4\n`,
    },
    silent: {
      "b.yaml": `${base}train:\n  micro_batch_size: 1\ndataset:\n  packed_sequence_specs:\n    packed_sequence_size: 4096\n    pad_seq_to_mult: 4\n`,
    },
  }),
  rule({
    name: "bridge-fsdp-version",
    source: "megatron/bridge/training/config.py: ConfigContainer._validate_and_apply_megatron_fsdp_v2_configs",
    why: "Version 2 of Megatron-FSDP is new: it trains dense models in bf16 over data-parallel ranks, and does not support checkpoints, clipping, CUDA graphs or low-precision formats yet. Bridge refuses everything else before it builds the model.",
    fix: "Write megatron_fsdp_version: 1, or remove what the message names.",
    check: each((root) => {
      if (!is(root, "ddp.use_megatron_fsdp", true) || !is(root, "ddp.megatron_fsdp_version", 2)) return [];
      const because = { path: "ddp.megatron_fsdp_version", says: "megatron_fsdp_version 2" };
      return unless(root, because, [
        ...["tensor_model", "pipeline_model", "context", "expert_model"].map(
          (kind) => [`model.${kind}_parallel_size`, 1] as const,
        ),
        ["model.bf16", true],
        ["model.fp16", false],
        ["optimizer.bf16", true],
        ["model.num_moe_experts", null],
        ["model.virtual_pipeline_model_parallel_size", null],
        ["dist.use_tp_pp_dp_mapping", false],
        ["rng.data_parallel_random_init", false],
        ["ddp.num_distributed_optimizer_instances", 1],
        ["ddp.outer_dp_sharding_strategy", "no_shard"],
        ["checkpoint.save", null],
        ["checkpoint.load", null],
        ["checkpoint.pretrained_checkpoint", null],
        ["optimizer.loss_scale", null],
        ["optimizer.clip_grad", 0],
        ["optimizer.use_precision_aware_optimizer", false],
        ["optimizer.optimizer_cpu_offload", false],
        ["model.calculate_per_token_loss", false],
        ["model.fp8", null],
        ["model.fp4", null],
        ["model.cuda_graph_impl", "none"],
      ]);
    }),
    fires: { "b.yaml": `${second}checkpoint:\n  save: out\n` },
    silent: { "b.yaml": second },
  }),
  rule({
    name: "bridge-mxfp8-gather",
    source: "megatron/bridge/training/config.py: ConfigContainer.validate (mixed_precision)",
    why: "Weights in MXFP8 are gathered into the gradient buffer. Unless it is reused they cannot be gathered, and Bridge stops before it builds the model.",
    fix: "Set mixed_precision.reuse_grad_buf_for_mxfp8_param_ag to true, or fp8_param_gather to false.",
    check: each((root) =>
      is(root, "mixed_precision.fp8_param_gather", true) &&
      is(root, "mixed_precision.fp8_recipe", "mxfp8") &&
      !usesMegatronFsdp(root)
        ? unless(root, { path: "mixed_precision.fp8_param_gather", says: "fp8_param_gather with mxfp8" }, [
            ["mixed_precision.reuse_grad_buf_for_mxfp8_param_ag", true],
          ])
        : [],
    ),
    fires: {
      "b.yaml": `${base}mixed_precision:\n  fp8_recipe: mxfp8\n  fp8_param_gather: true\n  reuse_grad_buf_for_mxfp8_param_ag: false\n`,
    },
    silent: {
      "b.yaml": `${base}mixed_precision:\n  fp8_recipe: mxfp8\n  fp8_param_gather: true\n  reuse_grad_buf_for_mxfp8_param_ag: true\n`,
    },
  }),
  rule({
    name: "bridge-graphs",
    source:
      "megatron/bridge/training/config.py: ConfigContainer.validate (is_full_iteration_cuda_graph); models/gpt_provider.py: GPTModelProvider.provide",
    why: "A CUDA graph replays recorded operations. Random numbers inside it need Transformer Engine's generator, and a graph of the whole step cannot inspect the loss.",
    fix: "Set rng.te_rng_tracker to true, and rerun_state_machine.check_for_nan_in_loss to false for a graph of the whole step (full_iteration); or write cuda_graph_impl: none.",
    check: each((root) => {
      const graphs = scalarOf(part(root, "model.cuda_graph_impl"));
      if (typeof graphs !== "string" || graphs === "none") return [];
      const because = { path: "model.cuda_graph_impl", says: `cuda_graph_impl ${graphs}` };
      const modules = ["cuda_graph_scope", "cuda_graph_modules"].flatMap((name) => {
        const node = part(root, `model.${name}`);
        return [node, ...itemsOf(node)].map(scalarOf);
      });
      const isWholeStep = graphs === "full_iteration" || (graphs === "local" && modules.includes("full_iteration"));
      const trackers = ["rng.te_rng_tracker", "model.use_te_rng_tracker"];
      return [
        ...(trackers.every((path) => part(root, path) === undefined)
          ? unsaid(root, because, "rng.te_rng_tracker", "true")
          : []),
        ...(trackers.some((path) => is(root, path, true))
          ? []
          : unless(
              root,
              because,
              trackers.map((path) => [path, true] as const),
            )),
        ...(isWholeStep ? unless(root, because, [["rerun_state_machine.check_for_nan_in_loss", false]]) : []),
      ];
    }),
    fires: { "b.yaml": `${base}  cuda_graph_impl: local\nrng:\n  te_rng_tracker: false\n` },
    silent: { "b.yaml": `${base}  cuda_graph_impl: local\nrng:\n  te_rng_tracker: true\n` },
  }),
  rule({
    name: "bridge-modelopt",
    source: "megatron/bridge/training/config.py: ConfigContainer.validate (restore_modelopt_state)",
    why: "A model quantized by ModelOpt has its own layers, which the fused gradient-accumulation kernel does not support.",
    fix: "Set model.gradient_accumulation_fusion to false.",
    check: each((root) =>
      is(root, "model.restore_modelopt_state", true)
        ? unless(root, { path: "model.restore_modelopt_state", says: "restore_modelopt_state" }, [
            ["model.gradient_accumulation_fusion", false],
          ])
        : [],
    ),
    fires: { "b.yaml": `${base}  restore_modelopt_state: true\n  gradient_accumulation_fusion: true\n` },
    silent: { "b.yaml": `${base}  restore_modelopt_state: true\n  gradient_accumulation_fusion: false\n` },
  }),
  rule({
    name: "bridge-native-packing",
    source: "megatron/bridge/training/config.py: ConfigContainer.validate (Energon native sequence packing)",
    why: "Energon packs several samples into one sequence, so micro-batches hold different numbers of tokens: the loss must be computed per token, and settings that assume equal batches or fixed shapes cannot be used.",
    fix: "Set micro_batch_size to 1, calculate_per_token_loss to true and average_in_collective to false, without MTP, CUDA graphs or pipeline stages; or remove packing_buffer_size.",
    check: each((root) =>
      numberAt(part(root, "dataset.packing_buffer_size")) === null
        ? []
        : unless(root, { path: "dataset.packing_buffer_size", says: "packing_buffer_size" }, [
            ["train.micro_batch_size", 1],
            ["model.calculate_per_token_loss", true],
            ["ddp.average_in_collective", false],
            ["model.cuda_graph_impl", "none"],
            ["model.pipeline_model_parallel_size", 1],
            ...((numberAt(part(root, "model.mtp_num_layers")) ?? 0) > 0
              ? [["model.mtp_num_layers", null] as const]
              : []),
          ]),
    ),
    fires: { "b.yaml": `${base}train:\n  micro_batch_size: 2\ndataset:\n  packing_buffer_size: 64\n` },
    silent: { "b.yaml": `${base}train:\n  micro_batch_size: 1\ndataset:\n  packing_buffer_size: 64\n` },
  }),
  rule({
    name: "bridge-context-comm",
    source:
      "megatron/bridge/training/config.py: ConfigContainer._validate_cp_comm_type; transformer_engine/pytorch/attention/dot_product_attention/context_parallel.py: attn_forward_func_with_cp",
    why: "The mixed form of context parallelism has two levels. Without their sizes each rank attends only to its own piece, which is fast but silently wrong. With a2a each rank takes some of the heads and of the query groups.",
    fix: "Give hierarchical_context_parallel_sizes two numbers whose product is context_parallel_size, and cp_comm_type one word, or one per layer; use all_gather if heads or query groups cannot be divided evenly.",
    check: each((root) => {
      const comm = part(root, "model.cp_comm_type");
      const sizes = part(root, "model.hierarchical_context_parallel_sizes");
      const ranks = numberAt(part(root, "model.context_parallel_size")) ?? 1;
      const layers = numberAt(part(root, "model.num_layers"));
      const words = comm?.kind === "list" ? comm.items.map(scalarOf) : [scalarOf(comm)];
      const product = itemsOf(sizes).reduce((all, each) => all * (numberAt(each) ?? Number.NaN), 1);
      const found: Found[] = [];
      const unknown = words.find((word) => typeof word === "string" && !ways.includes(word));
      if (comm !== undefined && ranks > 1 && unknown !== undefined)
        found.push({
          span: comm.span,
          message: `${String(unknown)} is not a value of cp_comm_type`,
          valid: [...ways],
        });
      const tensor = numberAt(part(root, "model.tensor_model_parallel_size")) ?? 1;
      const isLatent = ["multi_latent_attention", "kv_lora_rank"].some(
        (name) => part(root, `model.${name}`) !== undefined,
      );
      for (const [what, path] of isLatent ? shared.slice(0, 1) : shared) {
        const count = numberAt(part(root, path));
        const held = count === null ? null : Math.max(1, count / tensor);
        if (
          comm !== undefined &&
          words.includes("a2a") &&
          held !== null &&
          Number.isInteger(held) &&
          held % ranks !== 0
        )
          found.push({
            span: comm.span,
            message: `cp_comm_type a2a: ${held} ${what} of a rank cannot be divided evenly among ${ranks} context-parallel ranks`,
          });
      }
      if (comm?.kind === "list" && ranks > 1 && layers !== null && words.length !== layers)
        found.push({ span: comm.span, message: `cp_comm_type lists ${words.length} values for ${layers} layers` });
      if (comm !== undefined && words.some((word) => String(word).includes("a2a+p2p")) && itemsOf(sizes).length === 0)
        found.push({ span: comm.span, message: "cp_comm_type a2a+p2p needs hierarchical_context_parallel_sizes" });
      if (sizes?.kind === "list" && Number.isFinite(product) && product !== ranks)
        found.push({
          span: sizes.span,
          message: `the product of hierarchical_context_parallel_sizes is ${product}, but context_parallel_size is ${ranks}`,
        });
      return found;
    }),
    fires: { "b.yaml": `${base}  cp_comm_type: a2a+p2p\n` },
    silent: { "b.yaml": `${base}  cp_comm_type: a2a+p2p\n  hierarchical_context_parallel_sizes: [1, 2]\n` },
  }),
];
