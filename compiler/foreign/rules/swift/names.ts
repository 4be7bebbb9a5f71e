/** Names that ms-swift's arguments had in another series of its releases. */
import { replacement } from "../../../../dsl/diagnostics/suggest.ts";
import { below } from "../../../engines/release.ts";
import type { Launch, Run } from "../../launch.ts";
import { packagesOf } from "../../known/packages.ts";
import { swiftRuns, swiftSettings } from "../../commands/swift-runs.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";

interface Renamed {
  /** The first release that refuses it. */
  readonly gone: string;
  /** `null` where nothing took its place. */
  readonly now: string | null;
}

const second = (...names: readonly [string, string | null][]): readonly [string, Renamed][] =>
  names.map(([name, now]) => [name, { gone: "3.0.0", now }]);

/**
 * Read off the dataclasses of ms-swift 2.0 to 4.5. A name that begins one of today's, such as `sequence_parallel`, is taken for it by
 * argparse and is no row.
 */
export const swiftRenamed: ReadonlyMap<string, Renamed> = new Map([
  ...second(
    ["sft_type", "train_type"],
    ["model_id_or_path", "model"],
    ["template_type", "template"],
    ["use_flash_attn", "attn_impl"],
    ["dtype", "torch_dtype"],
    ["batch_size", "per_device_train_batch_size"],
    ["eval_batch_size", "per_device_eval_batch_size"],
    ["lora_target_modules", "target_modules"],
    ["lora_target_regex", "target_regex"],
    ["lora_modules_to_save", "modules_to_save"],
    ["lora_dropout_p", "lora_dropout"],
    ["lora_bias_trainable", "lora_bias"],
    ["lora_lr_ratio", "lorap_lr_ratio"],
    ["init_lora_weights", "init_weights"],
    ["quantization_bit", "quant_bits"],
    ["bnb_4bit_comp_dtype", "bnb_4bit_compute_dtype"],
    ["dataset_test_ratio", "split_dataset_ratio"],
    ["preprocess_num_proc", "dataset_num_proc"],
    ["custom_train_dataset_path", "dataset"],
    ["custom_val_dataset_path", "val_dataset"],
    ["only_save_model", "save_only_model"],
    ["deepspeed_config_path", "deepspeed"],
    ["add_output_dir_suffix", "add_version"],
    ["ref_model_id_or_path", "ref_model"],
    ["reward_model_id_or_path", "reward_model"],
    ["check_dataset_strategy", null],
    ["test_oom_error", null],
    ["self_cognition_sample", null],
    ["show_dataset_sample", null],
    ["gpu_memory_fraction", null],
  ),
  ["tools_prompt", { gone: "3.4.0", now: "agent_template" }],
  ["train_type", { gone: "4.1.0", now: "tuner_type" }],
]);

/** Names that came later than the third series began. */
export const swiftSince: ReadonlyMap<string, string> = new Map([
  ["padding_free", "3.5.0"],
  ["cached_dataset", "3.7.0"],
  ["tuner_type", "4.0.0"],
]);

function named(run: Run, launch: Launch): readonly Found[] {
  const version = packagesOf(launch).get("ms-swift")?.version ?? null;
  return [...swiftSettings(run, launch)].flatMap(([name, { name: written, nameSpan }]): readonly Found[] => {
    const dashes = /^-*/.exec(written)?.[0].length ?? 0;
    const start = nameSpan.start + dashes;
    const span = { ...nameSpan, start, end: start + written.length - dashes };
    const since = swiftSince.get(name);
    if (since !== undefined && version !== null && below(version, since))
      return [{ span, severity: "error", message: `ms-swift ${version} has no ${name} yet: it came with ${since}` }];
    const renamed = swiftRenamed.get(name);
    if (renamed === undefined || (version === null ? renamed.gone !== "3.0.0" : below(version, renamed.gone)))
      return [];
    const { now } = renamed;
    const meant = now === "train_type" && version !== null && !below(version, "4.0.0") ? "tuner_type" : now;
    return [
      {
        span,
        ...(version === null ? {} : { severity: "error" as const }),
        message: `ms-swift has no ${name} since ${renamed.gone}${meant === null ? "" : `: it is now ${meant}`}`,
        ...(meant === null ? {} : { valid: [meant], fixes: [replacement(span, meant)] }),
      },
    ];
  });
}

const command = "swift sft --model m --dataset d.jsonl --output_dir out";

export const swiftNameRules: readonly ForeignRule[] = [
  rule({
    name: "swift-name",
    severity: "warning",
    source: "swift/pipelines/base.py: SwiftPipeline._parse_args (`remaining_argv`); swift/arguments",
    why: "ms-swift stops at every argument that its release does not have (`ValueError: remaining_argv`). Version 3 renamed most arguments of version 2, and version 4 some of version 3.",
    fix: "Write the name that the message gives, or install the release that the script was written for.",
    check: (launch) => swiftRuns(launch).flatMap((run) => named(run, launch)),
    fires: { "run.sh": `${command} --sft_type lora\n` },
    silent: { "run.sh": `${command} --tuner_type lora\n` },
  }),
];
