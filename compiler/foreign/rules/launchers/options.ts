/** Options of launchers as argparse takes them, and those of `accelerate launch` by name and kind. */
import { nearest } from "../../../../dsl/diagnostics/nearest.ts";
import { removal, replacement } from "../../../../dsl/diagnostics/suggest.ts";
import type { Run } from "../../launch.ts";
import { accelerate } from "../../commands/launchers.ts";
import { accelerateChanges } from "../../known/trainer-versions.ts";
import type { Told } from "../../settings.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Source: accelerate 0.18 to 1.15, commands/launch.py: launch_command_parser. */
const switches = accelerate.switches ?? new Set<string>();
const earlier = new Set(["tpu_name", "tpu_zone", ...Object.keys(accelerateChanges.launch.went)]);
const whole =
  set(`num_processes num_machines num_cpu_threads_per_process machine_rank main_process_port max_restarts zero_stage
  gradient_accumulation_steps megatron_lm_tp_degree megatron_lm_pp_degree megatron_lm_num_micro_batches
  parallelism_config_dp_replicate_size parallelism_config_dp_shard_size parallelism_config_tp_size parallelism_config_cp_size
  parallelism_config_sp_size`);
const choices: ReadonlyMap<string, readonly string[]> = new Map([
  ["mixed_precision", ["no", "fp16", "bf16", "fp8"]],
  ["dynamo_mode", ["default", "reduce-overhead", "max-autotune"]],
  ["fsdp_version", ["1", "2"]],
  ["fp8_backend", ["ao", "te", "msamp"]],
  ["fp8_format", ["HYBRID", "E4M3", "E5M2"]],
]);

/** Where the value stands in a word of its own, and begins as an option does. */
const isMissing = ({ value, span, nameSpan }: Told): boolean =>
  typeof value === "string" && span !== nameSpan && /^--?[A-Za-z]/.test(value);

const unnamed = (name: string): boolean =>
  name.length > 1 &&
  !switches.has(name) &&
  !earlier.has(name) &&
  !accelerate.valued.has(name) &&
  // A file's own sections are read elsewhere.
  /^[a-z][a-z0-9_]*$/.test(name);

function misused({ launcher: { kind, settings } }: Run): readonly Found[] {
  if (kind !== "accelerate") return [];
  return [...settings].flatMap(([name, told]): readonly Found[] => {
    if (isMissing(told) || !told.name.startsWith("-")) return [];
    if (unnamed(name)) {
      const meant = nearest(name, [...switches, ...accelerate.valued]);
      const start = told.nameSpan.start + (/^-*/.exec(told.name)?.[0].length ?? 0);
      const place = { ...told.nameSpan, start, end: start + name.length };
      return [
        {
          span: told.nameSpan,
          message: `accelerate launch has no option ${told.name}`,
          ...(meant === null ? {} : { valid: [`--${meant}`], fixes: [replacement(place, meant)] }),
        },
      ];
    }
    const text = String(told.value);
    if (!told.known || told.value === true || /[$<{]/.test(text)) return [];
    const valid = choices.get(name);
    if (valid !== undefined && !valid.includes(text))
      return [{ span: told.span, message: `${told.name} takes no ${text}`, valid }];
    return whole.has(name) && !/^\s*[-+]?\d+\s*$/.test(text)
      ? [{ span: told.span, message: `${told.name} takes a whole number, not ${text === "" ? "nothing" : text}` }]
      : [];
  });
}

export const launcherOptionRules: readonly ForeignRule[] = [
  rule({
    name: "launcher-value",
    source:
      "Python argparse: `expected one argument`; torch/distributed/run.py, accelerate/commands/launch.py, deepspeed/launcher/runner.py",
    why: "An option that takes a value takes the next word, unless that begins like an option: then the launcher stops before it starts anything.",
    fix: "Write the missing value after the option, or remove the option.",
    check: ({ runs }) =>
      runs
        .filter(({ launcher: { kind } }) => ["accelerate", "torchrun", "deepspeed"].includes(kind))
        .flatMap(({ launcher: { settings } }) =>
          [...settings.values()].filter(isMissing).map((told) => ({
            span: told.nameSpan,
            message: `${told.name} has no value: ${String(told.value)} follows it`,
          })),
        ),
    fires: { "run.sh": "accelerate launch --num_processes --multi_gpu train.py\n" },
    silent: { "run.sh": "accelerate launch --num_processes 8 --multi_gpu train.py\n" },
  }),
  rule({
    name: "launcher-switch-value",
    source:
      "srun(1), pyxis README: switches; torch/distributed/run.py, accelerate/commands/launch.py, deepspeed/launcher/runner.py: store_true",
    why: "A switch takes no value. The word after it is taken as the program: `srun --container-writable true torchrun …` runs /bin/true and ends, and a launcher looks for a script called True.",
    fix: "Write the switch without a value.",
    check: ({ runs }) =>
      runs.flatMap(({ command, program }): readonly Found[] => {
        if (program === null || !/^(?:true|false|yes|no|on|off|[01])$/i.test(program.text ?? "")) return [];
        const at = command.words.indexOf(program);
        const [option, next] = [command.words[at - 1], command.words[at + 1]];
        if (option?.text?.startsWith("-") !== true || next === undefined) return [];
        return [
          {
            span: program.span,
            message: `${option.text} takes no value, so ${program.text} is taken as the program`,
            fixes: [removal({ ...program.span, end: next.span.start })],
          },
        ];
      }),
    fires: { "run.sh": "accelerate launch --num_processes 8 --multi_gpu True train.py\n" },
    silent: { "run.sh": "accelerate launch --num_processes 8 --multi_gpu train.py\n" },
  }),
  rule({
    name: "accelerate-option",
    source: "accelerate/commands/launch.py: launch_command_parser (allow_abbrev=False)",
    why: "`accelerate launch` accepts only its own options before the program, with full names, numbers and fixed words, and otherwise stops and prints its usage.",
    fix: "Write the option as in `valid`; an option of the program belongs after the program's name.",
    check: ({ runs }) => runs.flatMap(misused),
    fires: { "run.sh": "accelerate launch --num_process 8 train.py\n" },
    silent: { "run.sh": "accelerate launch --num_processes 8 train.py\n" },
  }),
];
