/** What ms-swift refuses of its arguments, and the processes that it starts or doesn't. */
import type { Launch, Run } from "../launch.ts";
import { packagesOf } from "../packages.ts";
import { refusedIn, type ReleasedRefusal } from "../released-refusals.ts";
import { swiftRuns, swiftSettings } from "../swift-runs.ts";
import { switchIn, toldIn } from "../settings.ts";
import { below } from "../../engines/release.ts";
import { given } from "../said.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

/** Read off ms-swift 3.0 to 4.5. */
export const swiftRefusals: readonly ReleasedRefusal[] = [
  { all: ["packing", "lazy_tokenize"], by: "BaseArguments._init_lazy_tokenize", since: "3.7.0" },
  { all: ["streaming", "lazy_tokenize"], by: "BaseArguments._init_lazy_tokenize", since: "3.4.1" },
  { all: ["deepspeed", "fsdp"], by: "SftArguments._init_fsdp", since: "3.12.0" },
  { all: ["fsdp=fsdp2", "save_only_model"], by: "SftArguments._check_fsdp2_compatibility", since: "3.12.0" },
  { all: ["quant_method=bnb|hqq|eetq|quanto", "!quant_bits"], by: "QuantizeArguments.get_quantization_config" },
  { all: ["vllm_mode", "!use_vllm"], by: "RLHFArguments._init_rollout", since: "3.12.0" },
  { all: ["rlhf_type=grpo", "cached_dataset"], by: "RLHFArguments._init_grpo", since: "3.7.0" },
  {
    all: ["rlhf_type=grpo", "num_generations=1", "!teacher_model", "!teacher_model_server"],
    by: "RLHFArguments._init_teacher; GRPOConfig.__post_init__",
  },
];

const flash = ["flash_attn", "flash_attention_2", "flash_attention_3", "flash_attention_4"];

function packed(run: Run, launch: Launch): readonly Found[] {
  const settings = swiftSettings(run, launch);
  const version = packagesOf(launch).get("ms-swift")?.version ?? null;
  const feature = ["packing", "padding_free"].find((name) => switchIn(settings, name) === true);
  const told = feature === undefined ? undefined : toldIn(settings, feature);
  const attention = toldIn(settings, "attn_impl");
  if (told === undefined || (version !== null && below(version, "3.4.1"))) return [];
  if (attention?.known === false || (attention === undefined && run.open)) return [];
  if (attention !== undefined && flash.includes(String(attention.value))) return [];
  return [
    {
      span: attention?.span ?? told.nameSpan,
      // Earlier releases of the third series packed without it, and said nothing.
      ...(attention === undefined && version === null ? { severity: "warning" as const } : {}),
      message: `${feature} needs flash attention, and attn_impl ${attention === undefined ? "is not said" : `is ${String(attention.value)}`}`,
      valid: flash,
      ...nearby(String(feature), told.span),
    },
  ];
}

/** Devices that a command sees; `null` where nobody says. */
function visible({ command: { env } }: Run): number | null {
  const text = env.get("CUDA_VISIBLE_DEVICES")?.value ?? null;
  return text !== null && /^\d+(?:,\d+)*$/.test(text) ? text.split(",").length : null;
}

function alone(run: Run, launch: Launch): readonly Found[] {
  const { env } = run.command;
  const settings = swiftSettings(run, launch);
  const told = given(settings, "deepspeed") ?? given(settings, "fsdp");
  const devices = visible(run);
  if (told === undefined || devices === null || devices < 2 || switchIn(settings, "use_ray") === true) return [];
  if (["NPROC_PER_NODE", "NNODES"].some((name) => env.has(name) || isUnexported(run, name))) return [];
  return [
    {
      span: told.nameSpan,
      message: `${told.name.replace(/^-+/, "")} with one process and ${devices} GPUs: NPROC_PER_NODE is not set`,
      valid: [`NPROC_PER_NODE=${devices}`],
      ...nearby("the GPUs", env.get("CUDA_VISIBLE_DEVICES")?.span),
    },
  ];
}

/** What a starter of processes takes from its environment alone. */
const read: readonly { readonly starter: RegExp; readonly names: readonly string[] }[] = [
  { starter: /(?:^|\/)(?:swift|megatron)$/, names: ["NPROC_PER_NODE", "NNODES", "NODE_RANK", "MASTER_ADDR"] },
  {
    starter: /(?:^|\/)llamafactory-cli$/,
    names: ["FORCE_TORCHRUN", "NPROC_PER_NODE", "NNODES", "NODE_RANK", "MASTER_ADDR"],
  },
];

const assignments = /^\s*(?:[A-Za-z_]\w*=(?:[^\s"'`$()]|\$\{?\w+\}?|"[^"]*"|'[^']*')*\s*)+(?:#.*)?$/;

/** Where an assignment stands on a line of its own, continued or not: it is of this shell, and of no program. */
function unexported({ script: { source } }: Run, name: string): number | null {
  const exports = new RegExp(`\\b(?:export|declare|typeset)\\b[^\\n]*\\b${name}\\b|\\bset\\s+-\\w*a|allexport`);
  if (exports.test(source.text)) return null;
  for (const { 0: line, index } of source.text.matchAll(/(?:\\\r?\n|[^\n])+/g)) {
    const at = line.search(new RegExp(`(?<![\\w$])${name}=`));
    if (at >= 0 && assignments.test(line.replace(/\\\r?\n/g, "  "))) return index + at;
  }
  return null;
}

const isUnexported = (run: Run, name: string): boolean => unexported(run, name) !== null;

function kept(run: Run): readonly Found[] {
  const names = read.find(({ starter }) => starter.test(run.launcher.word.text ?? ""))?.names ?? [];
  const first = names
    .filter((name) => !run.command.env.has(name))
    .flatMap((name) => {
      const start = unexported(run, name);
      return start === null ? [] : [{ name, start }];
    })
    .at(0);
  if (first === undefined) return [];
  const { source } = run.script;
  return [
    {
      span: { source, start: first.start, end: first.start + first.name.length },
      message: `${first.name} stays in this shell: ${run.launcher.word.text?.split("/").at(-1)} doesn't see it`,
      ...nearby("the command", run.launcher.word.span),
    },
  ];
}

const command = "swift sft --model m --dataset d.jsonl --output_dir out";

export const swiftRules: readonly ForeignRule[] = [
  rule({
    name: "swift-exclusive",
    source: "swift/arguments: __post_init__ of BaseArguments, SftArguments, RLHFArguments",
    why: "ms-swift holds its arguments against each other before it loads anything, and stops at the first pair that does not go together.",
    fix: "Leave one of them out, or add what the message says is needed.",
    check: (launch) =>
      swiftRuns(launch).flatMap((run) =>
        refusedIn(
          swiftSettings(run, launch),
          swiftRefusals,
          { name: "ms-swift", installed: packagesOf(launch).get("ms-swift") },
          { open: run.open },
        ),
      ),
    fires: { "run.sh": `${command} --packing true --lazy_tokenize true --attn_impl flash_attn\n` },
    silent: { "run.sh": `${command} --packing true --attn_impl flash_attn\n` },
  }),
  rule({
    name: "swift-attention",
    source: "swift/arguments/sft_args.py: SftArguments._check_padding_free",
    why: "Samples that lie behind each other are kept apart by the attention kernel, and only flash attention's does it. ms-swift refuses others since 3.4.1.",
    fix: "Add --attn_impl flash_attn, or leave packing and padding_free out.",
    check: (launch) => swiftRuns(launch).flatMap((run) => packed(run, launch)),
    fires: { "run.sh": `${command} --packing true --attn_impl sdpa\n` },
    silent: { "run.sh": `${command} --packing true --attn_impl flash_attn\n` },
  }),
  rule({
    name: "swift-processes",
    severity: "warning",
    source: "swift/cli/main.py: use_torchrun; swift/arguments/sft_args.py: SftArguments._init_deepspeed, _init_fsdp",
    why: "swift starts torchrun where NPROC_PER_NODE or NNODES is in its environment, and one process otherwise, which takes all GPUs for one model. DeepSpeed and FSDP refuse that: `not compatible with device_map`.",
    fix: "Put NPROC_PER_NODE with the number of GPUs in front of the command.",
    check: (launch) => swiftRuns(launch).flatMap((run) => alone(run, launch)),
    fires: { "run.sh": `CUDA_VISIBLE_DEVICES=0,1 ${command} --deepspeed zero2\n` },
    silent: { "run.sh": `NPROC_PER_NODE=2 CUDA_VISIBLE_DEVICES=0,1 ${command} --deepspeed zero2\n` },
  }),
  rule({
    name: "shell-variable-kept",
    severity: "warning",
    source:
      "bash(1): SIMPLE COMMAND EXPANSION (assignments without a command stay in the shell); swift/cli/main.py: get_torchrun_args; llamafactory/launcher.py: launch",
    why: "An assignment that no command follows on its line sets a variable of the shell, and programs see only what is exported. The starter counts no processes, and one of them trains alone. A blank line behind `\\` ends the command, too.",
    fix: "Write `export` in front, or end the line with `\\` directly before the command.",
    check: ({ runs }) => runs.flatMap(kept),
    fires: { "run.sh": `NPROC_PER_NODE=8\n${command}\n` },
    silent: { "run.sh": `export NPROC_PER_NODE=8\n${command}\n` },
  }),
];
