/** What Axolotl refuses of its options together, before it loads anything. */
import { below } from "../../../engines/release.ts";
import { documentsOf, type Launch } from "../../launch.ts";
import { packagesOf } from "../../known/packages.ts";
import type { Refusal } from "../../refusals.ts";
import { refusedIn, type ReleasedRefusal } from "../../released-refusals.ts";
import { textIn, type Settings } from "../../settings.ts";
import type { Located } from "../../documents/located.ts";
import { flattened } from "../../trainer/settings.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";

const file =
  "base_model: m\nsequence_len: 2048\nmicro_batch_size: 1\ngradient_accumulation_steps: 4\ndatasets:\n  - path: d\n    type: alpaca\n";

/** Its own defaults, as far as the tables ask for them. */
export const axolotlDefaults = { remove_unused_columns: "true", eval_sample_packing: "true", fsdp_version: "1" };

const kernels = ["lora_mlp_kernel", "lora_qkv_kernel", "lora_o_kernel"];
const losses = [
  "cut_cross_entropy",
  "chunked_cross_entropy",
  "liger_cross_entropy",
  "liger_fused_linear_cross_entropy",
];

export const axolotlRefusals: readonly ReleasedRefusal[] = [
  { all: ["gradient_accumulation_steps", "batch_size"], by: "check_gas_bsz" },
  { all: ["test_datasets", "val_set_size"], by: "check_val_w_test_datasets" },
  { all: ["neftune_noise_alpha", "noisy_embedding_alpha"], by: "check_neftune" },
  { all: ["do_causal_lm_eval", "eval_sample_packing=true"], by: "check_causal_lm_evals" },
  { all: ["sample_packing", "eval_sample_packing!=false", "eval_table_size"], by: "check_eval_packing" },
  { all: ["loraplus_lr_ratio", "lr_groups"], by: "check_lr_groups" },
  { all: ["adapter", "peft_layers_to_transform", "unfrozen_parameters"], by: "check_frozen" },
  { all: ["peft_layers_pattern", "!peft_layers_to_transform"], by: "check_peft_layers_pattern" },
  { all: ["adapter=lora|qlora", "flash_attn_fuse_mlp"], by: "check_fused_lora" },
  ...kernels.map((name): Refusal => ({ all: ["adapter=lora", "load_in_8bit", name], by: "check_lora_kernels_8bit" })),
  ...kernels.map((name): Refusal => ({
    all: ["trust_remote_code", name],
    by: "check_lora_kernels_trust_remote_code",
  })),
  { all: ["rl", "sample_packing"], by: "check_sample_packing_w_rl" },
  { all: ["remove_unused_columns!=false", "rl=kto"], by: "check_kto_config" },
  { all: ["rl=simpo", "warmup_ratio"], by: "check_simpo_warmup" },
  { all: ["deepspeed", "optimizer=muon"], by: "check_muon_deepspeed_fsdp" },
  { all: ["deepspeed", "optimizer=q_galore_adamw8bit"], by: "check_qgalore" },
  { all: ["adapter", "optimizer=q_galore_adamw8bit"], by: "check_qgalore" },
  {
    all: ["fsdp_version=1", "fsdp_config.offload_params", "optimizer~8bit"],
    by: "check_fsdp_offload_w_8bit_optimizer",
  },
  {
    all: ["fsdp_version=2", "fsdp_config", "optimizer=adamw_8bit|adamw_bnb_8bit"],
    by: "check_fsdp2_w_8bit_optimizer",
  },
  { all: ["sample_packing", "batch_flattening=true"], by: "check_batch_flattening_fa" },
  ...losses.flatMap((name, at) =>
    losses.slice(0, at).map((other): Refusal => ({ all: [other, name], by: "check_cross_entropy_conflicts" })),
  ),
  { all: ["max_memory", "gpu_memory_limit"], by: "check_mem_mismatch" },
  { all: ["chat_template=jinja", "!chat_template_jinja"], by: "check_chat_template_config" },
  { all: ["gptq", "revision_of_model"], by: "check_gptq_w_revision" },
  { all: ["activation_offloading", "!gradient_checkpointing"], by: "check_activation_offloading_wo_gc" },
  { all: ["selective_checkpointing", "!gradient_checkpointing"], by: "check_selective_checkpointing" },
  { all: ["deepcompile", "!deepspeed"], by: "check_deepcompile" },
  { all: ["relora", "!jagged_restart_steps"], by: "check_relora" },
  ...["fsdp", "fsdp_config", "deepspeed"].map((name): Refusal => ({ all: ["relora", name], by: "check_relora" })),
  { all: ["base_model~falcon", "fsdp"], by: "check_falcon_fsdp" },
  { all: ["base_model~mpt", "gradient_checkpointing"], by: "check_mpt_checkpointing" },
  { all: ["push_dataset_to_hub", "!hf_use_auth_token"], by: "check_push_ds_auth" },
  { all: ["adapter=qlora", "gptq"], by: "validate_qlora" },
  { all: ["warmup_steps", "warmup_ratio"], by: "check_warmup" },
  { all: ["liger_rms_norm", "tensor_parallel_size!=0|1"], by: "check_liger_rms_norm_tensor_parallel" },
  {
    all: ["tensor_parallel_size!=0|1", "optimizer=paged_adamw_8bit|adamw_8bit|adamw_bnb_8bit"],
    by: "check_tensor_parallel_optimizer",
  },
  { all: ["tensor_parallel_size!=0|1", "expert_parallel_size!=0|1"], by: "check_tensor_parallel_expert_parallel" },
  { all: ["deepspeed", "context_parallel_size!=0|1", "rl"], by: "check_context_parallel_deepspeed" },
  { all: ["deepspeed", "optimizer~flash_"], by: "check_flashoptim_deepspeed_fsdp" },
  { all: ["use_dft", "use_eaft"], by: "check_custom_loss_conflicts" },
  ...["use_dft", "use_eaft"].flatMap((name) =>
    ["rl", "reward_model", "process_reward_model", ...losses.filter((loss) => loss !== "liger_cross_entropy")].map(
      (other): Refusal => ({ all: [other, name], by: "check_custom_loss_conflicts" }),
    ),
  ),
  ...["added_tokens_overrides", "special_tokens", "tokens", "chat_template"].map((name): Refusal => ({
    all: ["tokenizer_use_mistral_common", name],
    by: "check_mistral_common_incompatible_options",
  })),
  { all: ["adapter=lora|qlora", "use_onebitllms"], by: "check_onebitllms_lora" },
  { all: ["pretraining_dataset", "include_tokens_per_second"], by: "pretrain_with_tps" },
  { all: ["gradient_checkpointing_kwargs.use_reentrant", "unfrozen_parameters"], by: "check_use_reentrant_mismatch" },
  ...["load_in_4bit", "load_in_8bit"].flatMap((name): readonly Refusal[] => [
    { all: ["model_quantization_config", name], by: "check_model_quantization_config_vs_bnb" },
    { all: ["fsdp_version=2", "rl=dpo|kto|orpo|ipo", name], by: "check_fsdp2_base_model_quant_rl" },
  ]),
  {
    all: ["torch_compile", "torch_compile_regional", "gradient_checkpointing"],
    by: "check_torch_compile_regional_with_gradient_checkpointing",
  },
  ...["fp16", "bf16"].map((name): Refusal => ({ all: ["flash_optimum", name], by: "check_better_transformers" })),
  { all: ["rl=dpo", "dpo_loss_weights", "!dpo_loss_type"], by: "check_dpo" },
  { all: ["scaling_softmax", "attn_implementation!=flex_attention"], by: "check_scaling_softmax_requires_flex" },
  { all: ["fp8_config", "!fp8"], by: "check_fp8_config" },
  { all: ["fsdp_version!=2", "fp8_enable_fsdp_float8_all_gather"], by: "check_fp8_config" },
  { all: ["rl=gdpo", "trl.multi_objective_aggregation=sum_then_normalize"], by: "check_gdpo" },
  ...["fsdp", "fsdp_config"].flatMap((name): readonly Refusal[] => [
    { all: ["fsdp_version!=2", name, "optimizer=muon"], by: "check_muon_deepspeed_fsdp" },
    { all: ["fsdp_version!=2", name, "optimizer=q_galore_adamw8bit"], by: "check_qgalore" },
    { all: ["fsdp_version!=2", name, "optimizer~flash_"], by: "check_flashoptim_deepspeed_fsdp" },
    { all: [name, "optimizer=q_galore_adamw8bit", "!fsdp_config.use_orig_params"], by: "check_qgalore" },
    { all: [name, "ple_cpu_offload"], by: "check_ple_cpu_offload" },
  ]),
  { all: ["deepspeed", "ple_cpu_offload"], by: "check_ple_cpu_offload" },
  { all: ["optimizer=polora", "!adapter"], by: "check_polora" },
  { all: ["deepspeed", "optimizer=polora"], by: "check_polora" },
  { all: ["fsdp_version!=2", "fsdp_config.cpu_offload_pin_memory=false"], by: "check_fsdp2_cpu_offload_pin_memory" },
  {
    all: ["fsdp_version=2", "fsdp_config.cpu_offload_pin_memory=false", "!fsdp_config.offload_params"],
    by: "check_fsdp2_cpu_offload_pin_memory",
  },
  ...["load_in_4bit", "load_in_8bit"].map((name): ReleasedRefusal => ({
    all: ["fsdp_version=2", "fsdp_config.cpu_ram_efficient_loading", name],
    by: "check_fsdp2_base_model_quant_ram_efficient_loading",
    since: "0.12.0",
    until: "0.13.0",
  })),
  {
    all: ["model_quantization_config=Mxfp4Config", "fsdp_config.cpu_ram_efficient_loading"],
    by: "check_gpt_oss_fsdp_loading",
  },
  {
    all: ["fsdp_config.auto_wrap_policy=SIZE_BASED_WRAP", "!fsdp_config.min_num_params"],
    by: "validate_size_based_wrap",
  },
  {
    all: ["selective_checkpointing", "gradient_checkpointing_kwargs.use_reentrant"],
    by: "check_selective_checkpointing",
  },
  { all: ["relora", "lr_scheduler=one_cycle"], by: "check_relora" },
  { all: ["relora", "flash_attn_fuse_mlp"], by: "check_relora" },
  { all: ["rl=ebft", "!ebft"], by: "check_ebft_config_required" },
  {
    all: ["rl=ebft", "ebft.mode=strided", "torch_compile=true", "gradient_checkpointing"],
    by: "check_ebft_torch_compile",
  },
  { all: ["torch_compile_options", "!torch_compile"], by: "check_torch_compile_options_requires_compile" },
  { all: ["fp32_norms", "!fsdp_config"], by: "check_fp32_norms" },
  { all: ["fsdp_version!=2", "fp32_norms"], by: "check_fp32_norms" },
  { all: ["quantize_moe_experts", "lora_target_linear"], by: "check_quantize_moe_experts" },
  { all: ["quantize_moe_experts", "!adapter"], by: "check_quantize_moe_experts" },
  { all: ["quantize_moe_experts", "!load_in_4bit", "!load_in_8bit"], by: "check_quantize_moe_experts" },
  ...["peft", "load_in_8bit", "load_in_4bit"].map((name): Refusal => ({
    all: ["qat", name],
    by: "check_qat_config",
  })),
  ...["streaming", "pretraining_dataset", "skip_prepare_dataset"].map((name): Refusal => ({
    all: ["dataset_exact_deduplication", name],
    by: "check_deduplication_with_streaming, check_deduplication_with_skip_prepare",
  })),
  { all: ["lora_target_parameters", "lora_dropout!=0"], by: "validate_lora_target_parameters_dropout" },
  { all: ["tokenizer_use_mistral_common", "processor_kwargs"], by: "check_mistral_common_incompatible_options" },
  {
    all: ["pretrain_multipack_buffer_size", "streaming_multipack_buffer_size"],
    by: "check_multipack_buffer_size",
  },
];

/** When to save, to evaluate and to end. */
export const axolotlTimes: readonly Refusal[] = [
  { all: ["save_strategy=best", "!metric_for_best_model"], by: "check_save_strategy_best_requires_metric" },
  { all: ["save_strategy!=steps", "save_steps"], by: "check_saves" },
  { all: ["save_steps", "saves_per_epoch"], by: "check_saves" },
  { all: ["eval_strategy!=steps", "eval_steps"], by: "check_evals" },
  { all: ["eval_steps", "evals_per_epoch"], by: "check_evals" },
  { all: ["eval_strategy!=steps", "evals_per_epoch"], by: "check_evals" },
  { all: ["val_set_size=0", "eval_steps", "!test_datasets"], by: "check_evals" },
  { all: ["val_set_size=0", "eval_strategy!=no", "!test_datasets"], by: "check_evals" },
  { all: ["do_bench_eval", "!evals_per_epoch", "!eval_steps"], by: "check_evals" },
  { all: ["early_stopping_patience", "!save_steps"], by: "check_early_stopping" },
  { all: ["early_stopping_patience", "!eval_steps"], by: "check_early_stopping" },
  { all: ["pretraining_dataset", "!max_steps"], by: "check_pretraining_w_max_steps" },
  { all: ["pretraining_dataset", "val_set_size"], by: "check_pretraining_w_val_set_size" },
  { all: ["streaming", "!max_steps"], by: "check_streaming_w_max_steps" },
  { all: ["streaming", "val_set_size"], by: "check_streaming_w_val_set_size" },
];

/**
 * As its validators read them: names of fsdp_config without their prefix (check_fsdp_config_kwargs_prefix), its release also from there
 * (check_fsdp_version_in_fsdp_config).
 */
function optionsOf(root: Located): Settings {
  const settings = new Map([...flattened(root)].map(([name, told]) => [name.replace(prefixed, "$1"), told]));
  const release = settings.get("fsdp_config.version") ?? settings.get("fsdp_config.fsdp_version");
  return release === undefined || settings.has("fsdp_version") ? settings : settings.set("fsdp_version", release);
}

const prefixed = /^(fsdp_config\.)fsdp_(?!version$)/;

const refuses =
  (table: readonly ReleasedRefusal[]) =>
  (launch: Launch): readonly Found[] =>
    documentsOf(launch, "axolotl").flatMap(({ root }) =>
      refusedIn(
        optionsOf(root),
        table,
        { name: "Axolotl", installed: packagesOf(launch).get("axolotl") },
        { defaults: axolotlDefaults },
      ),
    );

const sources = (table: readonly Refusal[]): string =>
  `axolotl/utils/schemas/validation.py: ${[...new Set(table.map(({ by }) => by))].join(", ")}`;

/** Options that its schema keeps to refuse them. */
const gone = [
  "s2_attention",
  "max_packed_sequence_len",
  "rope_scaling",
  "flash_attn_rms_norm",
  "dpo_norm_loss",
  "rpo_alpha",
  "dpo_use_logits_to_keep",
  "dpo_generate_during_eval",
];

/** Those that it took until this release, or longer than any that was looked at. */
const unsloth = ["cross_entropy_loss", "lora_mlp", "lora_qkv", "lora_o", "rms_norm", "rope"].map(
  (name) => `unsloth_${name}`,
);
const withoutUnsloth = "0.17.0";

export const axolotlOptionRules: readonly ForeignRule[] = [
  rule({
    name: "axolotl-exclusive",
    source: sources(axolotlRefusals),
    why: "Axolotl checks its options against each other when it reads the file, and stops if two cannot be combined or one needs another.",
    fix: "Remove one of them, or add the one that is missing.",
    check: refuses(axolotlRefusals),
    fires: { "axo.yaml": `${file}rl: dpo\nsample_packing: true\nflash_attention: true\n` },
    silent: { "axo.yaml": `${file}rl: dpo\nsample_packing: false\nflash_attention: true\n` },
  }),
  rule({
    name: "axolotl-times",
    source: sources(axolotlTimes),
    why: "A number of steps counts only with the strategy `steps`, an epoch is divided in only one way, a dataset without a length needs a last step, and an evaluation needs data.",
    fix: "Keep the setting that you mean; set max_steps if the data is streamed, and val_set_size or test_datasets if there are evaluations.",
    check: refuses(axolotlTimes),
    fires: { "axo.yaml": `${file}saves_per_epoch: 1\nsave_steps: 100\n` },
    silent: { "axo.yaml": `${file}save_steps: 100\n` },
  }),
  rule({
    name: "axolotl-embedding",
    // Only the tokenizer tells whether it writes the token so already.
    severity: "info",
    source: "axolotl/loaders/tokenizer.py: load_tokenizer",
    why: "A special token that the tokenizer does not have needs a trained row in the embedding. An adapter trains none, so Axolotl stops unless the embedding and the head are saved with it.",
    fix: "Add lora_modules_to_save with the model's embedding and head (embed_tokens and lm_head for Llama), or remove the tokens that the tokenizer already has.",
    check: (launch) =>
      documentsOf(launch, "axolotl").flatMap(({ root }): readonly Found[] => {
        const settings = flattened(root);
        if (!/^q?lora$/.test(textIn(settings, "adapter") ?? "") || settings.has("lora_modules_to_save")) return [];
        const tokens = ["bos", "eos", "unk"].flatMap((name) => settings.get(`special_tokens.${name}_token`) ?? []);
        return tokens.slice(0, 1).map(({ nameSpan, name }) => ({
          span: nameSpan,
          message: `whether the tokenizer already has this ${name} is unknown: a new one needs lora_modules_to_save`,
        }));
      }),
    fires: { "axo.yaml": `${file}adapter: lora\nspecial_tokens:\n  eos_token: <end>\n` },
    silent: {
      "axo.yaml": `${file}adapter: lora\nlora_modules_to_save: [embed_tokens, lm_head]\nspecial_tokens:\n  eos_token: <end>\n`,
    },
  }),
  rule({
    name: "axolotl-gone",
    source:
      "axolotl/utils/schemas/deprecated.py: DeprecatedParameters; validation.py: check_deprecated_unsloth_fields",
    why: "These options were removed or renamed; the schema knows their names only to refuse them.",
    fix: "Remove the option; rope_scaling belongs under overrides_of_model_config, and lora_mlp_kernel, lora_qkv_kernel and lora_o_kernel stand for unsloth's.",
    check: (launch) =>
      documentsOf(launch, "axolotl").flatMap(({ root }): readonly Found[] => {
        const settings = flattened(root);
        const version = packagesOf(launch).get("axolotl")?.version ?? null;
        const names = version !== null && below(version, withoutUnsloth) ? gone : [...gone, ...unsloth];
        return names.flatMap((name) => {
          const told = settings.get(name);
          if (told === undefined || told.value === null || told.value === false) return [];
          // A template may fill in nothing.
          if (/\$\{|\{\{/.test(String(told.value))) return [];
          return [{ span: told.nameSpan, message: `${name} is refused: Axolotl no longer has it` }];
        });
      }),
    fires: { "axo.yaml": `${file}s2_attention: true\n` },
    silent: { "axo.yaml": `${file}s2_attention: false\n` },
  }),
];
