/** What stands between files of other tools and one `.cdr`. */
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const importNothing = define<{ what: string }>({
  code: "cdr/import-nothing",
  severity: "error",
  message: ({ what }) => `no training is started here: ${what}`,
  explanation:
    "`cdrc import` turns a launch into a `.cdr`: a script that starts a training program with `torchrun`, `deepspeed`, `accelerate launch`, `srun` " +
    "or `python`, a DeepSpeed JSON, TrainingArguments, an accelerate, Axolotl or LLaMA-Factory YAML, or a manifest of a training job.",
  fix: "Give the script that starts the training, or all files of the launch together.",
});

export const importSeveral = define<{ count: number }>({
  code: "cdr/import-several",
  severity: "error",
  message: ({ count }) => `${count} launches stand here; \`--launch N\` chooses one`,
  explanation:
    "A file says one run. Where a script starts several programs, or starts one in each branch of a condition, `--launch 2` takes the second of those " +
    "that are listed.",
  fix: "Choose one with `--launch N`.",
});

export const importFork = define<{ program: string; why: string }>({
  code: "cdr/import-fork",
  severity: "error",
  message: ({ program, why }) => `${program} cannot be said in this language: ${why}`,
  explanation:
    "Megatron-DeepSpeed and other forks add arguments and behaviour of their own, which no engine here has: whatever was written would start another " +
    "training. `cdrc check` still judges such a launch as far as its rules are known.",
  fix: "Check the launch with `cdrc check`, or move it to an engine that is known here before importing it.",
});

export const importLeftOut = define<{ what: string; why: string }>({
  code: "cdr/import-left-out",
  severity: "warning",
  message: ({ what, why }) => `${what} is not in the file: ${why}`,
  explanation:
    "Nothing is dropped in silence: what neither the language nor an engine's raw block can say is named here, and the launch that the file starts is " +
    "without it.",
  fix: "Write what is left out into the `.cdr` by hand where it matters.",
});

export const importSecret = define<{ name: string }>({
  code: "cdr/import-secret",
  severity: "warning",
  message: ({ name }) => `${name} holds a secret, which is not written`,
  explanation:
    "Keys and tokens belong into the environment of the job, or into a file that only you can read. A variable with one becomes `secret name = env(…)`, " +
    "which is read on the target and never written to a file; one on a command line is left out.",
  fix: "Set the variable on the target, take the value out of the script, and renew it where others could read it.",
});

export const importNotRun = define<{ why: string }>({
  code: "cdr/import-not-run",
  severity: "warning",
  message: ({ why }) => `the written file can be checked and planned, and not run as it is: ${why}`,
  explanation:
    "The language can say more than this version of cdrc carries out, such as a Kubernetes target. Such a file is judged and planned like any other; " +
    "`cdrc compile` and `cdrc run` refuse it.",
  fix: "Replace what the message names by what this version runs, or keep the file for checks and plans.",
});
