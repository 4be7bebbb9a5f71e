/** What was written and is not what runs: the engine reads something else in its place, or nothing. */
import { rulesOf, type Step } from "../step.ts";

const { ban, demand } = rulesOf("megatron/training/arguments.py: validate_args");
const seeds = rulesOf("megatron/training/initialize.py: _set_random_seed");
const batches = rulesOf(
  "megatron/core/num_microbatches_calculator.py: step_batch_size_schedule instead of rampup_batch_size",
);

export const written: readonly Step[] = [
  ban("sequence-alone", {
    about: ["sequence_parallel", "tensor_model_parallel_size"],
    when: (a) => a.sequence_parallel && a.tensor_model_parallel_size === 1,
    says: "--sequence-parallel has no effect without tensor parallelism",
    why: "Sequence parallelism splits what tensor parallelism replicates. Without tensor parallelism the training program switches it off, and the core's own configuration refuses it.",
    fix: "Leave --sequence-parallel out, or give --tensor-model-parallel-size 2 or more.",
    severity: "warning",
    fires: "--sequence-parallel",
    silent: "--sequence-parallel --tensor-model-parallel-size 2",
  }),
  demand("pattern-and-layers", {
    about: ["num_layers", "hybrid_layer_pattern"],
    check: (a) => {
      const main = (a.hybrid_layer_pattern ?? "").split("/")[0] ?? "";
      const layers = main.replaceAll("|", "").length;
      if (a.hybrid_layer_pattern === null || a.num_layers === null || a.num_layers === layers) return null;
      return `--num-layers ${a.num_layers} is not read: the pattern has ${layers} layers`;
    },
    valid: (a) => [(a.hybrid_layer_pattern ?? "").split("/")[0]?.replaceAll("|", "").length ?? 0],
    why: "A hybrid pattern describes every layer, and its length replaces --num-layers. The engine mentions this on one rank only.",
    fix: "Leave --num-layers out: the pattern determines how many layers there are. If the number is right, change the pattern.",
    severity: "warning",
    base: "hybrid",
    fires: "--num-layers 24",
    silent: "--num-layers 12",
  }),
  ban("rotary-override", {
    about: ["position_embedding_type", "use_rotary_position_embeddings"],
    written: "position_embedding_type",
    when: (a) => a.use_rotary_position_embeddings && a.position_embedding_type !== "rope",
    says: "--use-rotary-position-embeddings replaces --position-embedding-type",
    why: "The older switch sets the positions to rope, whatever --position-embedding-type says: another model is trained than the one written.",
    fix: "Leave --use-rotary-position-embeddings out and set the positions with --position-embedding-type.",
    severity: "warning",
    fires: "--use-rotary-position-embeddings --position-embedding-type learned_absolute",
    silent: "--use-rotary-position-embeddings",
  }),
  batches.ban("rampup-ignored", {
    about: ["rampup_batch_size"],
    when: (a) => a.rampup_batch_size !== null,
    says: "--rampup-batch-size is not read: write --step-batch-size-schedule",
    why: "`--rampup-batch-size` is still accepted but no longer read: the run has its full batch from the first step. `--step-batch-size-schedule` sets how the batch grows, and schedules in samples follow it.",
    fix: 'Write the growth as --step-batch-size-schedule, such as "0:8 1B:16", instead of --rampup-batch-size and --global-batch-size; or leave --rampup-batch-size out and train with the full batch.',
    severity: "warning",
    fires: "--rampup-batch-size 8 8 160",
    silent: "",
  }),
  ban("replication-ignored", {
    about: ["replication_jump", "replication"],
    when: (a) => a.replication_jump !== null && a.replication_jump !== 0 && !a.replication,
    says: "--replication-jump has no effect without --replication",
    why: "The distance between copies of a local checkpoint is used only if copies are made, which --replication requests. The engine prints that it ignores the number.",
    fix: "Add --replication with --non-persistent-ckpt-type local, or leave --replication-jump out.",
    severity: "warning",
    fires: "--replication-jump 2",
    silent:
      "--replication-jump 2 --replication --non-persistent-ckpt-type local --non-persistent-local-ckpt-dir /local",
  }),
  ban("loss-scale-unused", {
    about: ["loss_scale", "bf16"],
    when: (a) => a.loss_scale !== null && !a.fp16,
    says: "--loss-scale has no effect without --fp16",
    why: "Only fp16 has gradients so small that the loss must be scaled. bf16 has the range of fp32, and the number is ignored.",
    fix: "Leave --loss-scale out, or train with --fp16.",
    severity: "warning",
    fires: "--loss-scale 1024",
    silent: "",
  }),
  seeds.demand("seed-positive", {
    about: ["seed"],
    check: ({ seed }) => (seed > 0 ? null : `--seed ${seed} is not positive`),
    why: "The engine derives the seeds of all ranks from this one, and refuses 0 and negative numbers.",
    fix: "Give --seed a whole number of at least 1.",
    fires: "--seed 0",
    silent: "--seed 1",
  }),
];
