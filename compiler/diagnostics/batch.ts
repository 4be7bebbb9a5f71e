import { counted } from "../../dsl/diagnostics/counted.ts";
import { define } from "../../dsl/diagnostics/diagnostic.ts";

export const batchDivisibility = define<{
  batch: number;
  given: string;
  ranks: number;
  micro: number | null;
  nearest: string;
  micros: string;
  /** Engines of which no layout takes it. */
  tried: string;
}>({
  code: "cdr/batch-divisibility",
  severity: "error",
  message: ({ given, batch, ranks, micro, nearest, micros, tried }) =>
    `batch = ${given}${given.endsWith("samples") ? "" : ` (${batch} samples)`} is not divisible by ${ranks} rank${ranks === 1 ? "" : "s"}` +
    `${micro === null ? "" : ` x micro_batch ${micro} = ${ranks * micro}`}: nearest ${nearest}${micros === "" ? "" : `; micro_batch values that divide: ${micros}`}${tried === "" ? "" : `; no layout of ${tried} allows it`}`,
  explanation:
    "Every rank takes the same number of samples, in micro-batches of the same size: " +
    "`batch = micro_batch x accumulation x ranks`. The number of ranks is nodes x devices per node of the cluster; " +
    "accumulation is derived, never written.",
  fix: "Write a batch that `valid` lists, another `micro_batch`, or another number of ranks.",
});

export const batchTokens = define<{ tokens: number; sequence: number; nearest: string }>({
  code: "cdr/batch-tokens",
  severity: "error",
  message: ({ tokens, sequence, nearest }) =>
    `batch = ${tokens} tokens is not a whole number of samples of ${sequence} tokens: nearest ${nearest}`,
  explanation:
    "A batch given in tokens holds `tokens / sequence` samples, which must be a whole number. The length of a sequence is the `context` of " +
    "the stage, or else of its model.",
  fix: "Write a multiple of the `context`; `valid` lists the nearest.",
});

export const batchEpochs = define<{ epochs: number; data: string }>({
  code: "cdr/batch-epochs",
  severity: "error",
  message: ({ epochs, data }) =>
    `length = ${counted(epochs, "epoch")} cannot be converted to steps: the number of tokens of data ${data} is unknown`,
  explanation: "Steps, schedule and duration of a run are fixed at compile time, before the data is tokenised.",
  fix: "Write the size as `tokens` in the data block, or give the length in tokens or steps.",
});

export const batchLength = define<{
  length: string;
  /** Tokens of a step, where the length counts something else than steps. */
  batch: number | null;
}>({
  code: "cdr/batch-length",
  severity: "error",
  message: ({ length, batch }) =>
    `length = ${length} is less than one step${batch === null ? "" : `, which takes ${batch} tokens`}`,
  explanation: "A stage trains for at least one optimizer step.",
  fix: "Write a length of at least one step, or a smaller batch.",
});

export const batchWarmup = define<{ warmup: number; cooldown: number; steps: number }>({
  code: "cdr/batch-warmup",
  severity: "error",
  message: ({ warmup, cooldown, steps }) =>
    cooldown > 0
      ? `warm-up of ${warmup} and cool-down of ${counted(cooldown, "step")} do not fit in a run of ${counted(steps, "step")}`
      : warmup === steps
        ? `warm-up of ${counted(warmup, "step")} takes the whole run of ${counted(steps, "step")}`
        : `warm-up of ${counted(warmup, "step")} does not fit in a run of ${counted(steps, "step")}`,
  explanation:
    "The learning rate rises for `warmup` steps and, with `wsd`, falls for `cooldown` steps. Together they must not exceed the " +
    "length of the run, and the warm-up must end before the run does; otherwise no step uses the peak rate.",
  fix: "Shorten `warmup` and `cooldown`, or lengthen the stage.",
});
