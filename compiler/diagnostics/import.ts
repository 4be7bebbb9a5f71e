/** Obstacles to turning files of other tools into one `.cdr`. */
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
  message: ({ count }) => `the files hold ${count} launches; choose one with \`--launch N\``,
  explanation:
    "A `.cdr` file describes one run. If a script starts several programs, or one in each branch of a condition, `--launch 2` takes the second of " +
    "the listed launches.",
  fix: "Choose one with `--launch N`.",
});

export const importFork = define<{ program: string; why: string }>({
  code: "cdr/import-fork",
  severity: "error",
  message: ({ program, why }) => `${program} cannot be written as a \`.cdr\`: ${why}`,
  explanation:
    "Megatron-DeepSpeed and other forks add arguments and behaviour that no engine here has, so the written file would start a different " +
    "training. `cdrc check` still checks such a launch as far as its rules are known.",
  fix: "Check the launch with `cdrc check`, or move it to a supported engine before importing it.",
});

export const absent = " is not in the written file: ";

export const importLeftOut = define<{ what: string; why: string }>({
  code: "cdr/import-left-out",
  severity: "warning",
  message: ({ what, why }) => `${what}${absent}${why}`,
  explanation:
    "Nothing is dropped silently: each setting that neither the language nor a raw block of an engine can express is reported. The launch in " +
    "the written file does not have it.",
  fix: "Add it to the `.cdr` by hand if it matters.",
});

export const importSecret = define<{ name: string }>({
  code: "cdr/import-secret",
  severity: "warning",
  message: ({ name }) => `${name} holds a secret, which is not written to the file`,
  explanation:
    "Keys and tokens belong in the environment of the job, or in a file that only you can read. A variable with a secret becomes " +
    "`secret name = env(…)`, which is read on the target and never written to a file; a secret on a command line is left out.",
  fix: "Set the variable on the target, remove the value from the script, and renew the secret if others could read it.",
});

export const importNotRun = define<{ why: string }>({
  code: "cdr/import-not-run",
  severity: "warning",
  message: ({ why }) => `the written file can be checked and planned, but not run as it is: ${why}`,
  explanation:
    "The language can express more than this version of cdrc can run, such as a Kubernetes target. Such a file is checked and planned like any " +
    "other, but `cdrc compile` and `cdrc run` refuse it.",
  fix: "Replace what the message names, or use the file only for checks and plans.",
});
