/** What ms-swift refuses of its arguments, and the processes that it starts or doesn't. */
import type { Launch, Run } from "../../launch.ts";
import { packagesOf } from "../../known/packages.ts";
import { refusedIn, type ReleasedRefusal } from "../../released-refusals.ts";
import { swiftRuns, swiftSettings } from "../../commands/swift-runs.ts";
import { numberIn, switchIn, textIn, toldIn } from "../../settings.ts";
import { below } from "../../../engines/release.ts";
import { given } from "../../said.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

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
      message: `${feature} needs flash attention, but attn_impl ${attention === undefined ? "is not set" : `is ${String(attention.value)}`}`,
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
      message: `${first.name} is not exported: ${run.launcher.word.text?.split("/").at(-1)} does not see it`,
      ...nearby("the command", run.launcher.word.span),
    },
  ];
}

/** Completions of a prompt that the batch of all processes would cut. */
function cut(run: Run, launch: Launch): readonly Found[] {
  const settings = swiftSettings(run, launch);
  const world = launch.world.size;
  const told = toldIn(settings, "num_generations");
  const [count, samples] = ["num_generations", "per_device_train_batch_size"].map((name) => numberIn(settings, name));
  if (textIn(settings, "rlhf_type") !== "grpo" || told === undefined || world === null || count == null) return [];
  if (count < 2 || run.open || settings.has("generation_batch_size") || settings.has("sequence_parallel_size"))
    return [];
  const version = packagesOf(launch).get("ms-swift")?.version ?? null;
  const isEach = version !== null && below(version, "3.4.0");
  // What nobody says of the accumulation is reckoned from the ranks.
  const steps = isEach ? 1 : numberIn(settings, "steps_per_generation", "gradient_accumulation_steps");
  if (samples == null || steps === null || (samples * world * steps) % count === 0) return [];
  return [
    {
      span: told.span,
      message: `num_generations ${count} does not divide ${samples} samples x ${world} ranks x ${steps} steps = ${samples * world * steps}`,
      ...nearby("samples of a GPU", toldIn(settings, "per_device_train_batch_size")?.span),
    },
  ];
}

/** `python -m swift.cli.rlhf` is what `swift rlhf` starts, under torchrun or alone. */
function started({ launcher: { kind }, program, command: { env } }: Run): readonly Found[] {
  const name = /(?:^|[/.])swift[/.]cli[/.](sft|pt|rlhf)(?:\.py)?$/.exec(program?.text ?? "")?.[1];
  const processes = env.get("NPROC_PER_NODE");
  if (kind !== "python" || name === undefined || processes === undefined || !(Number(processes.value) > 1)) return [];
  return [
    {
      span: processes.span,
      message: `NPROC_PER_NODE has no effect here: the module ${name} of swift.cli is one process, and only \`swift ${name}\` starts several`,
      ...nearby("the module", program?.span),
    },
  ];
}

const command = "swift sft --model m --dataset d.jsonl --output_dir out";

const grpo =
  "NPROC_PER_NODE=8 swift rlhf --rlhf_type grpo --model m --dataset d.jsonl --output_dir out --per_device_train_batch_size 2 --gradient_accumulation_steps 1";

export const swiftRules: readonly ForeignRule[] = [
  rule({
    name: "swift-exclusive",
    source: "swift/arguments: __post_init__ of BaseArguments, SftArguments, RLHFArguments",
    why: "ms-swift checks its arguments against each other before it loads anything, and stops at the first pair that cannot be combined.",
    fix: "Remove one of them, or add what the message says is needed.",
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
    why: "Packed samples are separated by the attention kernel, which only flash attention can do. ms-swift refuses others since 3.4.1.",
    fix: "Add --attn_impl flash_attn, or remove packing and padding_free.",
    check: (launch) => swiftRuns(launch).flatMap((run) => packed(run, launch)),
    fires: { "run.sh": `${command} --packing true --attn_impl sdpa\n` },
    silent: { "run.sh": `${command} --packing true --attn_impl flash_attn\n` },
  }),
  rule({
    name: "swift-processes",
    severity: "warning",
    source: "swift/cli/main.py: use_torchrun; swift/arguments/sft_args.py: SftArguments._init_deepspeed, _init_fsdp",
    why: "swift starts torchrun if NPROC_PER_NODE or NNODES is in its environment, and otherwise a single process, which spreads one model over all GPUs. DeepSpeed and FSDP refuse that: `not compatible with device_map`.",
    fix: "Put NPROC_PER_NODE=N with the number of GPUs before the command.",
    check: (launch) => swiftRuns(launch).flatMap((run) => alone(run, launch)),
    fires: { "run.sh": `CUDA_VISIBLE_DEVICES=0,1 ${command} --deepspeed zero2\n` },
    silent: { "run.sh": `NPROC_PER_NODE=2 CUDA_VISIBLE_DEVICES=0,1 ${command} --deepspeed zero2\n` },
  }),
  rule({
    name: "swift-generations",
    source:
      "swift/trainers/rlhf_arguments.py: GRPOConfig.check_num_generations; rlhf_trainer/grpo_trainer.py: __init__ (before 3.5)",
    why: "All completions of a prompt are sampled and compared in one batch: samples per GPU x ranks x steps that share a sampling (1 before 3.4). ms-swift refuses a batch that splits a group.",
    fix: "Choose num_generations so that it divides the batch, or change per_device_train_batch_size or gradient_accumulation_steps.",
    check: (launch) => swiftRuns(launch).flatMap((run) => cut(run, launch)),
    fires: { "run.sh": `${grpo} --num_generations 24\n` },
    silent: { "run.sh": `${grpo} --num_generations 16\n` },
  }),
  rule({
    name: "swift-module",
    severity: "warning",
    source: "swift/cli/main.py: get_torchrun_args, cli_main; swift/cli/sft.py",
    why: "The command `swift` reads NPROC_PER_NODE and starts torchrun with it. Its modules are what torchrun starts: called with python they train in one process, which spreads one model over all GPUs, and DeepSpeed refuses that.",
    fix: "Write swift sft, swift pt or swift rlhf; or start the module with torchrun --nproc_per_node.",
    check: ({ runs }) => runs.flatMap(started),
    fires: {
      "run.sh":
        "NPROC_PER_NODE=8 python -m swift.cli.sft --model m --dataset d --output_dir out --learning_rate 1e-5 --num_train_epochs 1\n",
    },
    silent: {
      "run.sh":
        "NPROC_PER_NODE=8 swift sft --model m --dataset d --output_dir out --learning_rate 1e-5 --num_train_epochs 1\n",
    },
  }),
  rule({
    name: "shell-variable-kept",
    severity: "warning",
    source:
      "bash(1): SIMPLE COMMAND EXPANSION (assignments without a command stay in the shell); swift/cli/main.py: get_torchrun_args; llamafactory/launcher.py: launch",
    why: "An assignment on a line of its own sets a shell variable, but programs see only exported variables. The launcher then starts a single process. A blank line after `\\` also ends the command.",
    fix: "Write `export` before it, or end the line with `\\` directly before the command.",
    check: ({ runs }) => runs.flatMap(kept),
    fires: { "run.sh": `NPROC_PER_NODE=8\n${command}\n` },
    silent: { "run.sh": `export NPROC_PER_NODE=8\n${command}\n` },
  }),
];
