/** Global batches that grow with the tokens seen, and micro-batches that must come out whole. */
import type { Arguments } from "../launch.ts";
import { rulesOf, type Step } from "../step.ts";

const { ban, demand } = rulesOf("megatron/core/num_microbatches_calculator.py: build_num_microbatches_calculator");
const steps = rulesOf("megatron/core/num_microbatches_calculator.py: StepBatchsizeNumMicroBatchesCalculator");

const loop = rulesOf("megatron/training/training.py: train");

const scales: Readonly<Record<string, number>> = { K: 1e3, M: 1e6, B: 1e9, T: 1e12 };

/** `0:768 1B:1536`: thresholds in tokens, batches in samples. */
function entries(a: Arguments): readonly (readonly [number, number] | string)[] {
  return (a.step_batch_size_schedule ?? "")
    .replaceAll(",", " ")
    .split(/\s+/)
    .filter((each) => each !== "")
    .map((entry) => {
      const [threshold, batch] = entry.split(":").map(amount);
      return threshold === undefined || batch === undefined
        ? entry
        : [Math.floor(threshold / (a.seq_length ?? 1)), batch];
    });
}

function amount(text: string): number | undefined {
  const { number, scale } = /^(?<number>\d+(?:\.\d*)?(?:e\d+)?)(?<scale>[KMBT])?$/i.exec(text.trim())?.groups ?? {};
  return number === undefined ? undefined : Math.trunc(Number(number) * (scales[scale?.toUpperCase() ?? ""] ?? 1));
}

export const batchSchedule: readonly Step[] = [
  ban("batch-schedule-decrease", {
    about: ["decrease_batch_size_if_needed", "step_batch_size_schedule"],
    when: (a) => a.step_batch_size_schedule !== null && a.decrease_batch_size_if_needed,
    says: "--decrease-batch-size-if-needed cannot be combined with --step-batch-size-schedule",
    why: "The sizes of a schedule are used unchanged; reducing one that does not divide evenly would be another schedule.",
    fix: "Leave --decrease-batch-size-if-needed out, and choose sizes in the schedule that divide evenly among all ranks.",
    base: "scheduled",
    fires: "--decrease-batch-size-if-needed",
    silent: "",
  }),
  steps.demand("batch-schedule", {
    about: ["step_batch_size_schedule"],
    check: (a) => {
      if (a.step_batch_size_schedule === null) return null;
      const all = entries(a);
      const strange = all.find((each) => typeof each === "string");
      if (strange !== undefined) return `${strange} in --step-batch-size-schedule is not TOKENS:SAMPLES`;
      const sorted = (all as readonly (readonly [number, number])[]).toSorted(([left], [right]) => left - right);
      if (sorted[0]?.[0] !== 0) return "--step-batch-size-schedule does not begin at 0 tokens";
      if (sorted.some(([at], index) => index > 0 && at === sorted[index - 1]?.[0]))
        return "--step-batch-size-schedule has two batches for one number of samples";
      return sorted.some(([, batch]) => batch <= 0) ? "--step-batch-size-schedule holds a batch of no sample" : null;
    },
    why: "Entries are TOKENS:SAMPLES separated by spaces, starting at 0 tokens; K, M, B and T scale the tokens.",
    fix: 'Write entries TOKENS:SAMPLES starting at 0 with increasing tokens, such as --step-batch-size-schedule "0:16 1B:32".',
    base: "scheduled",
    fires: "--step-batch-size-schedule 1M:16",
    silent: "--step-batch-size-schedule 0:16,1M:32",
  }),
  steps.demand("batch-schedule-ranks", {
    about: ["step_batch_size_schedule", "micro_batch_size"],
    check: (a) => {
      const unit = (a.micro_batch_size ?? 1) * a.data_parallel_size * a.gtp_weight_remat_size;
      if (a.step_batch_size_schedule === null || unit < 1) return null;
      const uneven = entries(a).find((each) => typeof each !== "string" && each[1] > 0 && each[1] % unit !== 0);
      return uneven === undefined
        ? null
        : `the batch ${uneven[1]} of --step-batch-size-schedule is not a multiple of micro-batch ${a.micro_batch_size} x data-parallel ranks = ${unit}`;
    },
    why: "Each batch of the schedule is split among the ranks into whole micro-batches. The engine checks only when the batch is reached, which may be days after the start, and stops there.",
    fix: "Make every batch in the schedule a multiple of micro-batch x data-parallel ranks.",
    severity: "warning",
    base: "scheduled",
    fires: "--step-batch-size-schedule 0:16,1M:20",
    silent: "--step-batch-size-schedule 0:16,1M:24",
  }),
  loop.demand("batch-schedule-shrinks", {
    about: ["step_batch_size_schedule"],
    check: (a) => {
      const all = entries(a).filter((each) => typeof each !== "string");
      const sorted = all.toSorted(([left], [right]) => left - right);
      const at = sorted.findIndex(([, batch], index) => index > 0 && batch < (sorted[index - 1]?.[1] ?? 0));
      return at < 0
        ? null
        : `the batch of --step-batch-size-schedule shrinks from ${sorted[at - 1]?.[1]} to ${sorted[at]?.[1]}`;
    },
    why: "A training may take more micro-batches from one step to the next, but not fewer: where the batch shrinks, it stops with `Number of microbatches should not decrease`.",
    fix: "Let the batches of the schedule grow; begin a new run, from the checkpoint, for a smaller one.",
    severity: "warning",
    base: "scheduled",
    fires: "--step-batch-size-schedule 0:32,1M:16",
    silent: "--step-batch-size-schedule 0:16,1M:32",
  }),
  demand("global-batch-ranks", {
    about: ["global_batch_size", "micro_batch_size"],
    check: (a) => {
      if (a.step_batch_size_schedule !== null || a.micro_batch_size === null || a.global_batch_size === null)
        return null;
      const unit = a.micro_batch_size * a.data_parallel_size * a.gtp_weight_remat_size;
      if (unit < 1 || a.global_batch_size < 1) return null;
      const batch = a.decrease_batch_size_if_needed
        ? Math.floor(a.global_batch_size / unit) * unit
        : a.global_batch_size;
      if (batch % unit !== 0)
        return `global batch ${batch} is not a multiple of micro-batch ${a.micro_batch_size} x ${a.data_parallel_size * a.gtp_weight_remat_size} data-parallel ranks = ${unit}`;
      return batch >= unit
        ? null
        : `global batch ${a.global_batch_size} is less than one micro-batch on each rank, ${unit}`;
    },
    valid: (a) => {
      const unit = (a.micro_batch_size ?? 1) * a.data_parallel_size * a.gtp_weight_remat_size;
      const below = Math.floor((a.global_batch_size ?? 0) / unit) * unit;
      return [below, below + unit].filter((each) => each > 0);
    },
    why: "Every data-parallel rank takes a whole number of micro-batches per step. With a remainder some ranks would have one more than others, and the launch stops.",
    fix: "Set --global-batch-size to a multiple of --micro-batch-size x data-parallel ranks.",
    fires: "--global-batch-size 12 --eval-global-batch-size 16",
    silent: "--global-batch-size 24",
  }),
];
