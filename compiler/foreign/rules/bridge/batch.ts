/** The batch of a step, which NeMo and Megatron Bridge divide into micro-batches of every replica. */
import { at, numberAt, scalarOf, type Located } from "../../documents/located.ts";
import type { Launch } from "../../launch.ts";
import { base, each, ranksOf } from "./bridge.ts";
import { isWhole } from "./settings.ts";
import { nearby, rule, type ForeignRule } from "../rule.ts";

const degrees = ["tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size"];

/** Ranks with the same weights; 1, which divides every number of them, where the layout is not all told. */
function replicasOf(root: Located, launch: Launch): number {
  const said = degrees.map((name) => at(root, "model", name));
  // What is laid over a recipe leaves to the recipe what it does not say.
  const isOver = !isWhole(root) && at(root, "trainer") === undefined;
  const { size } = ranksOf(root, launch);
  if (size === null || (isOver && said.includes(undefined))) return 1;
  const replicas = size / said.reduce((product, degree) => product * Math.max(1, numberAt(degree) ?? 1), 1);
  return Number.isInteger(replicas) ? replicas : 1;
}

export const bridgeBatchRules: readonly ForeignRule[] = [
  rule({
    name: "bridge-batch",
    source: "megatron/core/num_microbatches_calculator.py: ConstantNumMicroBatchesCalculator",
    why: "Every replica of the model takes the same whole number of micro-batches per step: the program stops if the batch is not a multiple of micro-batch x replicas.",
    fix: "Make global_batch_size a multiple of micro_batch_size x data-parallel ranks (those that tensor, pipeline and context parallelism leave).",
    check: each((root, launch) => {
      const section = at(root, at(root, "trainer") === undefined ? "train" : "model");
      const [total, micro] = [at(section, "global_batch_size"), at(section, "micro_batch_size")];
      const batch = numberAt(total);
      if (total === undefined || batch === null) return [];
      if (scalarOf(at(section, "decrease_batch_size_if_needed")) === true) return [];
      const [samples, replicas] = [numberAt(micro) ?? 1, replicasOf(root, launch)];
      const unit = samples * replicas;
      if (!(unit > 0) || batch % unit === 0) return [];
      const below = Math.floor(batch / unit) * unit;
      return [
        {
          span: total.span,
          message:
            replicas === 1
              ? `global_batch_size ${batch} is not a multiple of micro_batch_size ${samples}`
              : `global_batch_size ${batch} is not a multiple of micro_batch_size ${samples} x ${replicas} data-parallel ranks = ${unit}`,
          valid: [below, below + unit].filter((size) => size > 0).map(String),
          ...nearby("the micro-batch", micro?.span),
        },
      ];
    }),
    fires: {
      "b.yaml": `${base}  pipeline_model_parallel_size: 1\ntrain:\n  micro_batch_size: 2\n  global_batch_size: 250\n`,
      "run.sh": "torchrun --nproc-per-node=8 run.py b.yaml\n",
    },
    silent: {
      "b.yaml": `${base}  pipeline_model_parallel_size: 1\ntrain:\n  micro_batch_size: 2\n  global_batch_size: 256\n`,
      "run.sh": "torchrun --nproc-per-node=8 run.py b.yaml\n",
    },
  }),
];
