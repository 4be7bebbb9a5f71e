import type { Source } from "../../../dsl/source/source.ts";
import type { Listing } from "../launch.ts";
import { at, entryOf, scalarOf, type Located } from "./located.ts";

export const documentKinds = [
  "deepspeed",
  "training-arguments",
  "accelerate",
  "axolotl",
  "llama-factory",
  "gpt-neox",
  "nanotron",
  "torchtitan",
  "composer",
  "submitit",
  "lightning",
  "nemo",
  "fairchem",
  "kubernetes",
  "skypilot",
  "torchtune",
  "litgpt",
  "fsdp",
  "model",
  "tokenizer",
] as const;

export type DocumentKind = (typeof documentKinds)[number];

/** How files of a kind are called in messages. */
export const kindNames: Readonly<Record<DocumentKind | Listing["kind"] | "script", string>> = {
  script: "a shell or sbatch script",
  hostfile: "a hostfile",
  requirements: "a list of packages",
  deepspeed: "a DeepSpeed configuration",
  "training-arguments": "TrainingArguments of transformers",
  accelerate: "an accelerate configuration",
  axolotl: "an Axolotl configuration",
  "llama-factory": "a LLaMA-Factory configuration",
  "gpt-neox": "a GPT-NeoX configuration",
  nanotron: "a nanotron configuration",
  torchtitan: "a torchtitan configuration",
  composer: "a Composer configuration",
  submitit: "a submitit configuration of hydra",
  lightning: "a configuration of Lightning",
  nemo: "a configuration of NeMo or Megatron Bridge",
  fairchem: "a configuration of fairchem",
  kubernetes: "a Kubernetes manifest",
  skypilot: "a task of SkyPilot",
  torchtune: "a configuration of torchtune",
  litgpt: "a configuration of LitGPT",
  fsdp: "the fsdp_config of TrainingArguments",
  model: "a model's config.json",
  tokenizer: "a tokenizer's configuration",
};

/** Keys that no other kind has, and those that only add weight. */
const signs: Readonly<
  Record<DocumentKind, { readonly sure: readonly string[]; readonly likely: readonly string[] }>
> = {
  kubernetes: { sure: ["apiVersion"], likely: ["kind", "metadata", "spec"] },
  "gpt-neox": {
    sure: [
      "pipe_parallel_size",
      "pipe-parallel-size",
      "model-parallel-size",
      "model_parallel_size",
      "checkpoint-factor",
      "checkpoint_factor",
      "data_impl",
      "data-impl",
      "vocab-file",
      "merge-file",
      "merge_file",
      "text_gen_type",
    ],
    likely: [
      "data_path",
      "data-path",
      "train_micro_batch_size_per_gpu",
      "zero_optimization",
      "num-layers",
      "num_layers",
      "fp16",
      "train-iters",
      "train_iters",
      "save-interval",
    ],
  },
  deepspeed: {
    sure: [
      "train_micro_batch_size_per_gpu",
      "zero_optimization",
      "zero_allow_untested_optimizer",
      "wall_clock_breakdown",
      "steps_per_print",
      "activation_checkpointing",
    ],
    likely: [
      "train_batch_size",
      "gradient_accumulation_steps",
      "fp16",
      "bf16",
      "gradient_clipping",
      "optimizer",
      "scheduler",
    ],
  },
  accelerate: {
    sure: [
      "distributed_type",
      "compute_environment",
      "main_training_function",
      "main_process_port",
      "num_machines",
      "machine_rank",
    ],
    likely: ["num_processes", "mixed_precision", "deepspeed_config", "fsdp_config", "use_cpu"],
  },
  axolotl: {
    sure: ["base_model", "sequence_len", "sample_packing", "micro_batch_size", "base_model_config"],
    likely: ["datasets", "adapter", "gradient_accumulation_steps", "num_epochs", "val_set_size", "output_dir"],
  },
  "llama-factory": {
    sure: ["finetuning_type", "cutoff_len", "stage", "use_unsloth"],
    likely: ["template", "dataset", "model_name_or_path", "do_train", "per_device_train_batch_size", "lora_target"],
  },
  "training-arguments": {
    sure: [
      "per_device_train_batch_size",
      "per_device_eval_batch_size",
      "num_train_epochs",
      "eval_strategy",
      "evaluation_strategy",
      "save_strategy",
      "load_best_model_at_end",
      "ddp_timeout",
      "lr_scheduler_type",
    ],
    likely: [
      "output_dir",
      "learning_rate",
      "fp16",
      "bf16",
      "deepspeed",
      "gradient_accumulation_steps",
      "max_steps",
      "save_steps",
      "eval_steps",
      "warmup_steps",
      "warmup_ratio",
    ],
  },
  nanotron: {
    sure: ["parallelism", "checkpoints"],
    likely: ["data_stages", "optimizer", "tokens", "model", "general"],
  },
  torchtitan: { sure: [], likely: [] },
  composer: {
    sure: ["global_train_batch_size", "device_train_microbatch_size"],
    likely: ["max_duration", "train_loader", "fsdp_config", "precision"],
  },
  submitit: {
    sure: ["timeout_min", "max_num_timeout", "submitit_folder", "tasks_per_node"],
    likely: ["nodes", "gpus_per_node", "partition", "signal_delay_s"],
  },
  lightning: { sure: [], likely: [] },
  nemo: { sure: [], likely: [] },
  fairchem: { sure: [], likely: [] },
  skypilot: { sure: [], likely: [] },
  torchtune: { sure: [], likely: [] },
  litgpt: { sure: [], likely: [] },
  fsdp: {
    sure: [
      "transformer_layer_cls_to_wrap",
      "fsdp_transformer_layer_cls_to_wrap",
      "min_num_params",
      "fsdp_min_num_params",
    ],
    likely: [
      "backward_prefetch",
      "forward_prefetch",
      "limit_all_gathers",
      "use_orig_params",
      "sync_module_states",
      "cpu_ram_efficient_loading",
      "activation_checkpointing",
      "fsdp_backward_prefetch",
      "xla",
    ],
  },
  model: {
    sure: ["architectures", "model_type"],
    likely: ["hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size", "torch_dtype"],
  },
  tokenizer: {
    sure: ["tokenizer_class", "added_tokens_decoder"],
    likely: ["pad_token", "eos_token", "model_max_length"],
  },
};

/** Options of Lightning's Trainer that a file of its command line holds under `trainer`. */
const lightning = ["accelerator", "strategy", "devices", "max_epochs", "num_nodes", "accumulate_grad_batches"];

/** A class of Megatron Bridge. */
const isOfBridge = (node: Located | undefined): boolean =>
  node?.kind === "scalar" && String(node.value).startsWith("megatron.bridge.");

/** What a JSON or YAML holds; `null` where nothing says. */
export function recognised(root: Located): DocumentKind | null {
  if (root.kind !== "map") return null;
  if (at(root, "apiVersion") !== undefined && at(root, "kind") !== undefined) return "kubernetes";
  if (isSky(root)) return "skypilot";
  if (torchtune.some((key) => at(root, key, "_component_") !== undefined)) return "torchtune";
  if ([at(root, "_target_"), at(root, "model", "_target_")].some(isOfBridge)) return "nemo";
  if (at(root, "train", "global_batch_size") !== undefined && entryOf(root, "precision") !== undefined)
    return "litgpt";
  // A conversion of NeMo's launcher holds what a model begins with, and trains nothing.
  if (["huggingface_ckpt_path", "nemo_file_name"].some((key) => at(root, "run", key) !== undefined)) return null;
  if (["train_iters", "train_samples"].some((key) => at(root, "train", key) !== undefined)) return "nemo";
  if (at(root, "model", "tensor_model_parallel_size") ?? at(root, "model", "context_parallel_size")) return "nemo";
  if (at(root, "runner", "_target_") !== undefined && at(root, "job") !== undefined) return "fairchem";
  if (lightning.some((key) => at(root, "trainer", key) !== undefined)) return "lightning";
  if (at(root, "model", "vocab") !== undefined && entryOf(root, "added_tokens") !== undefined) return "tokenizer";
  let best: DocumentKind | null = null;
  let most = 0;
  for (const kind of documentKinds) {
    const { sure, likely } = signs[kind];
    const count = (keys: readonly string[]): number => keys.filter((key) => entryOf(root, key) !== undefined).length;
    const inherited = count(sure) > 1 ? heirs[kind] : undefined;
    const weight = (own: (typeof signs)[DocumentKind]): number => 3 * count(own.sure) + count(own.likely);
    const score = weight({ sure, likely }) + (inherited === undefined ? 0 : weight(inherited));
    const enough = count(sure) > 0 || count(likely) >= 2;
    if (enough && score > most) [best, most] = [kind, score];
  }
  return best ?? (onlyOf(root) ? "deepspeed" : null);
}

/** Keys that stand in files of other trades too: what merges models has a `base_model`, what builds something has stages. */
const shared: ReadonlySet<string> = new Set([
  "base_model",
  "base_model_config",
  "stage",
  "parallelism",
  "checkpoints",
  "vocab-file",
  "merge-file",
  "merge_file",
  "activation_checkpointing",
]);

/** Has it a key that nothing but its kind has? What lies in a folder by chance may share some. */
export function surely(root: Located, kind: DocumentKind): boolean {
  const { sure, likely } = signs[kind];
  const found = sure.filter((key) => entryOf(root, key) !== undefined);
  return sure.length + likely.length === 0 || found.length > 1 || found.some((key) => !shared.has(key));
}

/** LLaMA-Factory takes all options of the Trainer beside its own, GPT-NeoX those of DeepSpeed; two of its own say that it is meant. */
const heirs: Partial<Record<DocumentKind, (typeof signs)[DocumentKind]>> = {
  "llama-factory": signs["training-arguments"],
  "gpt-neox": signs.deepspeed,
};

/** What torchtune makes of its own parts, by their paths in Python. */
const torchtune = ["model", "tokenizer", "checkpointer", "optimizer"];

/** A file of TOML: torchtitan's by its sections and an option of them that it always had. */
export function recognisedToml(root: Located): DocumentKind | null {
  const told = [
    at(root, "model", "flavor"),
    at(root, "job", "dump_folder"),
    at(root, "training", "seq_len"),
    at(root, "training", "local_batch_size"),
    at(root, "lr_scheduler", "warmup_steps"),
    at(root, "parallelism", "data_parallel_shard_degree"),
    at(root, "parallelism", "tensor_parallel_degree"),
  ];
  return told.some((each) => each !== undefined) ? "torchtitan" : null;
}

/** A task says what it runs, and on what. */
function isSky(root: Located): boolean {
  const runs = ["run", "setup"].some((key) => typeof scalarOf(at(root, key)) === "string");
  return (
    runs &&
    ["resources", "num_nodes", "envs", "file_mounts", "workdir"].some((key) => entryOf(root, key) !== undefined)
  );
}

/** A small DeepSpeed JSON may hold one section alone. */
function onlyOf(root: Located): boolean {
  const keys = root.kind === "map" ? root.entries.map(({ key }) => key) : [];
  const { sure, likely } = signs.deepspeed;
  return keys.some((key) => sure.includes(key) || likely.includes(key));
}

/** Is it a script? Its name or its first line says so, or a command of a launcher stands in it. */
export function looksLikeShell({ path, text }: Source): boolean {
  if (/\.(?:sh|bash|zsh|ksh|sbatch|slurm)$/.test(path)) return true;
  if (/^#!.*\b(?:ba|z|da|k)?sh\b/.test(text)) return true;
  // No command ends in a colon: a manifest whose containers run a script begins like this.
  if (/^(?:\uFEFF)?(?:[ \t]*(?:#.*)?\r?\n|---.*\n)*["']?[A-Za-z_][\w.-]*["']?:(?:[ \t\r\n]|$)/.test(text))
    return false;
  if (/^#SBATCH\b/m.test(text)) return true;
  return /^\s*(?:[A-Z_][A-Z0-9_]*=\S* +)*(?:srun|torchrun|deepspeed|accelerate|python3?|mpirun|export|source|llamafactory-cli|axolotl|trl|swift|litgpt|tune|colossalai|docker|sbatch)(?=[ \t]+[^\s:=])/m.test(
    text,
  );
}

/**
 * JSON by its first character, behind comments, unless the name says YAML: that takes braces too, with comments and commas as it likes.
 * Under a name that says JSON it may do without braces, as Hjson can.
 */
export const looksLikeJson = ({ path, text }: Source): boolean =>
  /\.h?json$/.test(path) ||
  (/^(?:\s|\/\/[^\n]*\n|\/\*[^*]*\*\/)*[{[]/.test(text.slice(0, 4096)) && !/\.ya?ml$/.test(path));

/** Lines of nothing but a statement of Go's templates, as Helm's charts have them: no YAML before Helm filled it in. */
export const isTemplate = ({ text }: Source): boolean =>
  /^[ \t]*\{\{-?\s*(?:if|else|end|range|with|define|template|include|block|\/\*|\$\w+\s*:=)/m.test(text);

/** A program other than a POSIX shell that the first line, or the name, gives a script to. */
export function otherShell({ path, text }: Source): string | null {
  const named = /\.(fish|csh|tcsh|ps1|nu|xsh|py|ipynb|bat|cmd)$/.exec(path)?.[1];
  const first = /^#!\s*(?:\S*\/env\s+(?:-\S+\s+)*)?(\S+)/.exec(text)?.[1]?.split("/").at(-1);
  if (first !== undefined) return /^(?:ba|z|da|a|k|mk)?sh$/.test(first) ? null : first;
  return named === undefined ? null : (languages[named] ?? named);
}

/** By its name, or a table's head alone on the first line that says something; `[` is no JSON then. */
export function looksLikeToml({ path, text }: Source): boolean {
  if (path.endsWith(".toml")) return true;
  return /^(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*\[{1,2}[A-Za-z_][\w.-]*\]{1,2}[ \t]*(?:#[^\n]*)?\r?\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*[\w.-]+[ \t]*=/.test(
    text,
  );
}

const languages: Readonly<Record<string, string>> = {
  ps1: "PowerShell",
  nu: "nushell",
  xsh: "xonsh",
  py: "Python",
  ipynb: "Python",
  bat: "Windows",
  cmd: "Windows",
};
