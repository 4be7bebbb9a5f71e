/** What TRL's trainers refuse of their options together, by trainer and release. */
import type { Launch, Run } from "../../launch.ts";
import { packagesOf } from "../../known/packages.ts";
import type { Defaults, Refusal } from "../../refusals.ts";
import { refusedIn, type ReleasedRefusal } from "../../released-refusals.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";

export const trlTrainers = ["sft", "dpo", "kto", "grpo", "rloo", "reward"] as const;
type Trainer = (typeof trlTrainers)[number];

export interface TrlRefusal extends ReleasedRefusal {
  readonly of: readonly Trainer[];
  /** Of TRL's own programs: another one may make adapters without being told. */
  readonly isOfCommand?: boolean;
}

const preference: readonly Trainer[] = ["dpo", "kto"];
const online: readonly Trainer[] = ["grpo", "rloo"];

const row = (of: readonly Trainer[], all: Refusal["all"], since?: string, until?: string): TrlRefusal => ({
  of,
  all,
  by: "__init__",
  ...(since === undefined ? {} : { since }),
  ...(until === undefined ? {} : { until }),
});

/** Read off TRL 0.9 to 1.16. */
export const trlRefusals: readonly TrlRefusal[] = [
  row(trlTrainers, ["load_in_4bit", "load_in_8bit"]),
  // The Trainer beneath says it: weights of few bits are not trained themselves.
  ...["load_in_4bit", "load_in_8bit"].map((name) => ({
    ...row(trlTrainers, [name, "!use_peft"]),
    isOfCommand: true,
  })),
  row(["sft"], ["max_length!=none|null", "!packing", "padding_free"], "1.0"),
  row(["sft"], ["packing", "max_length=none|null"], "0.17"),
  row(["sft"], ["gradient_checkpointing=false", "gradient_checkpointing_kwargs.selective"], "1.16"),
  row(
    ["sft"],
    ["gradient_checkpointing_kwargs.selective", "gradient_checkpointing_kwargs.use_reentrant=true"],
    "1.16",
  ),
  row(
    ["sft", ...preference, ...online],
    ["use_liger_kernel", "liger_kernel_config.fused_linear_cross_entropy"],
    "1.16",
  ),
  row(preference, ["precompute_ref_log_probs", "sync_ref_model"], "0.29"),
  row(preference, ["use_liger_kernel", "precompute_ref_log_probs"], "0.29", "1.14"),
  row([...preference, ...online], ["use_peft", "sync_ref_model"], "1.0"),
  row(["dpo"], ["label_smoothing=0", "loss_type=exo_pair"], "0.29"),
  row(["dpo"], ["use_weighting", "loss_type=aot|aot_unpaired"], "1.0"),
  row(
    ["dpo"],
    ["loss_type=apo_zero|apo_down|aot|aot_unpaired|bco_pair|nca_pair", "f_divergence_type!=reverse_kl"],
    "1.16",
  ),
  row(["kto"], ["loss_type=kto", "per_device_train_batch_size=1"]),
  row(["kto"], ["loss_type=kto", "train_sampling_strategy!=sequential"], "1.14"),
  row(online, ["beta=0", "sync_ref_model"], "1.0"),
  row(["grpo"], ["loss_type=vespo", "use_vllm", "vllm_importance_sampling_mode!=token_truncate|token_mask"], "1.0"),
];

/** Its own defaults, as far as the table asks for them. */
export const trlDefaults: Readonly<Record<Trainer, Defaults>> = {
  sft: { max_length: "1024" },
  dpo: { label_smoothing: "0", f_divergence_type: "reverse_kl" },
  kto: { loss_type: "kto", train_sampling_strategy: "sequential" },
  grpo: { beta: "0", vllm_importance_sampling_mode: "sequence_mask" },
  rloo: { beta: "0.05" },
  reward: {},
};

/** Which of TRL's trainers a command starts, and whether it is certainly TRL. */
function trainerOf({ launcher, program, args }: Run): { readonly name: Trainer; readonly isSure: boolean } | null {
  const isCommand = /(?:^|\/)trl$/.test(launcher.word.text ?? "");
  const file = /(?:^|[/_])(sft|dpo|kto|grpo|rloo|reward)(?:_\w+)?\.py$/.exec(program?.text ?? "")?.[1];
  const name = trlTrainers.find((each) => each === (isCommand ? args[0]?.text : file));
  return name === undefined ? null : { name, isSure: isCommand };
}

function refused(launch: Launch): readonly Found[] {
  const { trainer, runs } = launch;
  const started = runs.map(trainerOf).find((each) => each !== null);
  if (trainer === null || started === undefined || started === null || trainer.has("finetuning_type")) return [];
  const trl = packagesOf(launch).get("trl");
  return refusedIn(
    trainer,
    trlRefusals.filter(
      ({ of, isOfCommand }) => of.includes(started.name) && (started.isSure || isOfCommand !== true),
    ),
    { name: "TRL", installed: trl },
    { defaults: trlDefaults[started.name], open: runs.some((run) => run.open) },
  ).map((found): Found =>
    started.isSure || trl !== undefined || found.severity !== undefined ? found : { ...found, severity: "warning" },
  );
}

const file = "model_name_or_path: m\ndataset_name: d\noutput_dir: out\nper_device_train_batch_size: 4\n";
const run = (trainer: Trainer): string => `trl ${trainer} --config trl.yaml\n`;

export const trlTrainerRules: readonly ForeignRule[] = [
  rule({
    name: "trl-refused",
    source: `trl/trainer: ${trlTrainers.map((name) => `${name}_trainer.py`).join(", ")}: __init__; model_config.py: ModelConfig.__post_init__`,
    why: "A TRL trainer checks its options against each other when it is created, after the model is loaded, and stops at the first pair that cannot be combined.",
    fix: "Remove one of the two, or add what the message says is needed: packing for padding_free, a batch above 1 for KTO.",
    check: refused,
    fires: { "trl.yaml": `${file}padding_free: true\n`, "run.sh": run("sft") },
    silent: { "trl.yaml": `${file}padding_free: true\npacking: true\n`, "run.sh": run("sft") },
  }),
];
