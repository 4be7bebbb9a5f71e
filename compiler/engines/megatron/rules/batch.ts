/** Batch arithmetic. Source: megatron/training/arguments.py: validate_args. */
import { rulesOf, settle, type Step } from "../step.ts";

const { ban, demand } = rulesOf("megatron/training/arguments.py: validate_args");

export const batch: readonly Step[] = [
  demand("micro-batch", {
    about: ["micro_batch_size"],
    check: ({ micro_batch_size: micro }) => {
      if (micro === null) return "--micro-batch-size is missing";
      return micro > 0 ? null : `--micro-batch-size ${micro} is not positive`;
    },
    why: "The engine has no default for the number of samples in one forward pass. Its own message is empty.",
    fix: "Give --micro-batch-size 1 or more.",
    fires: "--micro-batch-size 0",
    silent: "--micro-batch-size 1",
  }),
  demand("batch-schedule-or-size", {
    about: ["global_batch_size", "step_batch_size_schedule"],
    check: (a) =>
      a.step_batch_size_schedule !== null && a.global_batch_size !== null
        ? "--global-batch-size and --step-batch-size-schedule both say the global batch"
        : null,
    why: "A schedule sets the global batch at each point of the run, so --global-batch-size would set it twice.",
    fix: "Leave --global-batch-size out if the batch grows, or --step-batch-size-schedule if it does not.",
    fires: "--step-batch-size-schedule 0:16",
    silent: "",
  }),
  ban("phase-transitions", {
    about: ["phase_transition_iterations"],
    when: (a) => (a.phase_transition_iterations ?? "").split(",").some((each) => !/^\s*[+-]?\d*\s*$/.test(each)),
    says: "--phase-transition-iterations lists whole numbers with commas between them",
    why: "A run stops and saves at each of these iterations, and the next phase can begin with other settings.",
    fix: "Write the iterations as whole numbers separated by commas, without spaces: --phase-transition-iterations 1000,2000.",
    fires: "--phase-transition-iterations 10,x",
    silent: "--phase-transition-iterations 10,20",
  }),
  settle(["global_batch_size", "eval_global_batch_size", "eval_micro_batch_size"], (a) => {
    const micro = a.micro_batch_size ?? 1;
    // Ranks that are too few for the split make no batch; that they are is said of them.
    a.global_batch_size ??= micro * Math.max(1, a.data_parallel_size);
    a.eval_global_batch_size ??= a.global_batch_size;
    a.eval_micro_batch_size ??= micro;
  }),
  demand("global-batch-positive", {
    about: ["global_batch_size"],
    check: ({ global_batch_size: global }) =>
      global !== null && global <= 0 ? `--global-batch-size ${global} is not positive` : null,
    why: "An optimizer step takes at least one sample. The engine's own message is empty.",
    fix: "Give --global-batch-size 1 or more, a multiple of --micro-batch-size x data-parallel ranks.",
    fires: "--global-batch-size 0",
    silent: "--global-batch-size 16",
  }),
  demand("evaluation-batch", {
    about: ["eval_global_batch_size", "global_batch_size", "eval_micro_batch_size", "micro_batch_size"],
    check: (a) => {
      const [global, micro] = [a.eval_global_batch_size ?? 0, a.eval_micro_batch_size ?? 1];
      const ranks = a.data_parallel_size * a.gtp_weight_remat_size;
      if (micro === 0) return "--eval-micro-batch-size 0 is not positive";
      if (micro * ranks < 1 || global % (micro * ranks) === 0) return null;
      const evaluation =
        a.eval_global_batch_size !== a.global_batch_size || a.eval_micro_batch_size !== a.micro_batch_size;
      return `${evaluation ? "evaluation" : "global"} batch ${global} is not a multiple of micro-batch ${micro} x ${ranks} data-parallel ranks = ${micro * ranks}`;
    },
    valid: (a) => {
      const unit = (a.eval_micro_batch_size ?? 1) * a.data_parallel_size * a.gtp_weight_remat_size;
      const below = Math.floor((a.eval_global_batch_size ?? 0) / unit) * unit;
      return [below, below + unit].filter((each) => each > 0);
    },
    why: "Every data-parallel rank takes a whole number of micro-batches. The evaluation batch defaults to the training batch, so the engine reports a wrong training batch as a wrong evaluation batch.",
    fix: "Set the batch in the message to a multiple of its micro-batch x data-parallel ranks; for evaluation alone give --eval-global-batch-size.",
    fires: "--global-batch-size 15",
    silent: "--global-batch-size 32",
  }),
  demand("rollouts-per-batch", {
    about: ["grpo_prompts_per_step", "grpo_group_size", "grpo_iterations", "global_batch_size"],
    check: (a) => {
      if (!a.perform_rl_step || a.global_batch_size === null || a.global_batch_size < 1) return null;
      const samples = a.grpo_prompts_per_step * a.grpo_group_size * a.grpo_iterations;
      return samples % a.global_batch_size === 0
        ? null
        : `${samples} rollouts per iteration (prompts x group x iterations) are not a multiple of the global batch ${a.global_batch_size}`;
    },
    why: "All rollouts of an inference phase are used for training before the next phase, in whole global batches.",
    fix: "Choose --grpo-prompts-per-step, --grpo-group-size and --grpo-iterations so that their product is a multiple of --global-batch-size, or change --global-batch-size.",
    base: "rl",
    fires: "--grpo-prompts-per-step 3 --grpo-group-size 5",
    silent: "--grpo-prompts-per-step 8 --grpo-group-size 2",
  }),
  ...(["exit_interval", "save_interval"] as const).map((name) =>
    demand(`rollouts-per-${name.replace("_", "-")}`, {
      about: [name, "grpo_prompts_per_step", "global_batch_size"],
      check: (a) => {
        const interval = a[name];
        if (!a.perform_rl_step || interval === null || a.global_batch_size === null || a.global_batch_size < 1)
          return null;
        const samples = a.grpo_prompts_per_step * a.grpo_group_size * a.grpo_iterations;
        const steps = Math.floor(samples / a.global_batch_size);
        return steps < 1 || interval % steps === 0
          ? null
          : `${flag(name)} ${interval} is not a multiple of the ${steps} steps between two inference phases`;
      },
      why: "Rollouts are not saved, so a run can stop and save only when the next inference phase begins.",
      fix: `Set ${flag(name)} to a multiple of the steps between two inference phases: prompts x group x iterations / --global-batch-size.`,
      base: "rl",
      fires: `--grpo-prompts-per-step 8 --grpo-group-size 8 ${flag(name)} 3`,
      silent: `--grpo-prompts-per-step 8 --grpo-group-size 8 ${flag(name)} 8`,
    }),
  ),
];

function flag(name: string): string {
  return `--${name.replaceAll("_", "-")}`;
}
