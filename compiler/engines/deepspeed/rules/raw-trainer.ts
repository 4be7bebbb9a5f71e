import { engineRawUnused } from "../../../diagnostics/engine.ts";
import type { Document } from "../../../document.ts";
import type { Rule } from "../../engine.ts";
import { isSection } from "../merge.ts";
import { spanOf } from "./span.ts";

const megatron = (property: string): string => `engine megatron does it: \`layout { ${property} = … }\``;

/** Keys that act on what the training program does not bring, with what does the same. */
const unused: Readonly<Record<string, string>> = {
  pipeline: `the model is no PipelineModule; ${megatron("pipeline_parallel")}`,
  tensor_parallel: `ranks read samples of their own, and those of a tensor parallel group would have to share; ${megatron("tensor_parallel")}`,
  expert_parallel: `the model keeps its experts on every rank; ${megatron("expert_parallel")}`,
  sequence_parallel_size: "the layout says it: `layout { context_parallel = … }`",
  activation_checkpointing:
    "layers are recomputed by torch: `layout { recompute = full }`; engine megatron shards what it keeps",
  "checkpoint.load_universal":
    "a run goes on with the ranks that saved; other ranks take its weights by `from`, and engine megatron reads a checkpoint in any layout",
  datastates_ckpt: "the training program saves its own checkpoints",
  data_efficiency: "the training program orders the data: `data { … }` and curricula say it",
  dataloader_drop_last: "the training program brings its own batches, all of them whole",
  compile: "nobody asks the engine to compile; `compile = true` is torch.compile",
  torch_autocast: "`precision` of the stage says it",
  hybrid_engine: "it serves reinforcement learning, where a model generates between steps",
  weight_quantization: "it serves inference",
  autotuning:
    "the deepspeed launcher reads it, and the node agent starts the ranks; `cdrc plan` lists the layouts that were tried",
};

/** What the engine would take and this trainer gives it no occasion to use. */
export const rawTrainer: Rule = {
  name: "raw-trainer",
  source:
    "deepspeed runtime/pipe/module.py, runtime/dataloader.py, runtime/activation_checkpointing/checkpointing.py: configure, autotuning/autotuner.py, " +
    "runtime/engine.py: compile",
  check: (stage) =>
    Object.entries(unused).flatMap(([key, why]) => {
      const value = at(stage.raw, key);
      return value === undefined || isOff(value) ? [] : [engineRawUnused(spanOf(stage, key), { key, why })];
    }),
};

function at(config: Document, path: string): Document | undefined {
  return path
    .split(".")
    .reduce<Document | undefined>((value, key) => (isSection(value) ? value[key] : undefined), config);
}

function isOff(value: Document): boolean {
  return value === false || value === null || (isSection(value) && value["enabled"] === false);
}
