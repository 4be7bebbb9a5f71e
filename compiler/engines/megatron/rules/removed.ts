/** Arguments that the parser still takes only to say that they are gone, and old names of newer ones. */
import { rulesOf, settle, type Step } from "../step.ts";

const { ban } = rulesOf("megatron/training/arguments.py: validate_args");

const gone = [
  ["batch_size", "--batch-size", "--micro-batch-size", "4"],
  ["warmup", "--warmup", "--lr-warmup-fraction", "10"],
  ["model_parallel_size", "--model-parallel-size", "--tensor-model-parallel-size", "2"],
] as const;

export const removed: readonly Step[] = [
  ...gone.map(([name, old, now, value]) =>
    ban(`removed-${old.slice(2)}`, {
      about: [name],
      when: (a) => a[name] !== null,
      says: `${old} was removed: write ${now}`,
      why: `The parser still accepts ${old}, but the launch stops right after it. Use ${now} instead.`,
      fix: `Write ${now} instead of ${old}.`,
      fires: `${old} ${value}`,
      silent: now === "--lr-warmup-fraction" ? `${now} 0.01` : `${now} 1`,
    }),
  ),
  // What was meant is said, and nothing is missing.
  settle(["micro_batch_size"], (a) => {
    if (a.batch_size !== null) a.micro_batch_size ??= a.batch_size;
  }),
  ban("removed-checkpoint-activations", {
    about: ["checkpoint_activations"],
    when: (a) => a.checkpoint_activations,
    says: "--checkpoint-activations was removed: write --recompute-activations, or --recompute-granularity with --recompute-method",
    why: "The engine prints a note and exits with status 0, and a scheduler believes that the job is done.",
    fix: "Write --recompute-activations for the selective form, or --recompute-granularity full with --recompute-method uniform and --recompute-num-layers 1.",
    fires: "--checkpoint-activations",
    silent: "--recompute-activations",
  }),
  ban("recompute-twice", {
    about: ["recompute_activations", "recompute_granularity"],
    when: (a) => a.recompute_activations && a.recompute_granularity === "full",
    says: "--recompute-activations makes the granularity selective: --recompute-granularity full is not read",
    why: "The short option is read last. Instead of whole layers only attention is recomputed, which needs the memory that was to be saved.",
    fix: "Leave --recompute-activations out; full recomputation also needs --recompute-method and --recompute-num-layers.",
    severity: "warning",
    fires: "--recompute-activations --recompute-granularity full",
    silent: "--recompute-activations",
  }),
  settle(["recompute_granularity"], (a) => {
    if (a.recompute_activations) a.recompute_granularity = "selective";
  }),
];
