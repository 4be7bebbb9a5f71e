import type { Diagnostic } from "../../../../dsl/diagnostics/diagnostic.ts";
import type { Span } from "../../../../dsl/source/source.ts";
import { engineRawUnused } from "../../../diagnostics/engine-raw.ts";
import type { Document } from "../../../document.ts";
import type { StageStep } from "../../../pipeline.ts";
import type { StagePlan } from "../../../plan.ts";
import type { Rule } from "../../engine.ts";
import { derivedConfig } from "../config.ts";
import { isSection } from "../merge.ts";
import { spanOf } from "./span.ts";

const megatron = (property: string): string => `engine megatron supports it: \`layout { ${property} = … }\``;

/** Why a key changes nothing in this stage; `null` where it does. */
type Why = (stage: StageStep, plan: StagePlan) => string | null;

const apart = "no ranks share the activations of a layer";

/** Keys that act on what the training program does not bring, with what does the same. */
const unused: Readonly<Record<string, string | Why>> = {
  pipeline: (stage, plan) => {
    const derived = derivedConfig(stage, plan)["pipeline"];
    const said = stage.raw["pipeline"];
    const isDerived = isSection(derived) && isSection(said) && Object.keys(said).every((key) => key in derived);
    return isDerived
      ? null
      : "the layout sets it: `layout { pipeline_parallel = … }`, and `recompute` the activations kept between layers";
  },
  tensor_parallel: `each rank reads its own samples, but the ranks of a tensor parallel group would have to share them; ${megatron("tensor_parallel")}`,
  expert_parallel: (_, { layout }) =>
    layout.expert_parallel === 1
      ? "every rank has all experts; the layout distributes them: `layout { expert_parallel = … }`"
      : null,
  activation_checkpointing: (_, { layout }) =>
    layout.recompute === "none"
      ? "no layer is recomputed: `layout { recompute = full }`"
      : layout.pipeline_parallel > 1
        ? "a pipeline keeps the activations between its layers itself"
        : null,
  "activation_checkpointing.partition_activations": `${apart}; ${megatron("tensor_parallel")}`,
  "activation_checkpointing.contiguous_memory_optimization": `it packs the parts made by partition_activations, but ${apart}`,
  "activation_checkpointing.number_checkpoints": "only contiguous_memory_optimization reads it",
  "checkpoint.load_universal": ({ tuning }, { layout }) =>
    layout.zero_stage === 0
      ? "it is made from the shards of ZeRO 1, 2 or 3, but this stage has none"
      : tuning !== undefined
        ? "its states are those of a whole model, but this stage trains only part of it"
        : layout.pipeline_parallel > 1 || layout.expert_parallel > 1
          ? "ranks that share a model resume from their own files"
          : null,
  datastates_ckpt: "the training program saves its own checkpoints",
  data_efficiency: "the training program orders the data, by `data { … }` and curricula",
  dataloader_drop_last: "the training program builds its own batches, all of them full",
  compile: "the engine is not asked to compile; `compile = true` is torch.compile",
  torch_autocast: "the stage's `precision` sets it",
  hybrid_engine: "it is for reinforcement learning, where a model generates between steps",
  weight_quantization: "it is for inference",
  autotuning:
    "only the deepspeed launcher reads it, but the node agent starts the ranks; `cdrc plan` lists the layouts that were tried",
};

/** Keys of which nothing at all comes: the engine takes them, and what reads them is not there. */
const idle: ReadonlySet<string> = new Set([
  ...["dataloader_drop_last", "autotuning", "weight_quantization", "activation_checkpointing"],
  ...["partition_activations", "contiguous_memory_optimization", "number_checkpoints"].map(
    (name) => `activation_checkpointing.${name}`,
  ),
]);

/** What the engine would take and this trainer gives it no occasion to use. */
export const rawTrainer: Rule = {
  name: "raw-trainer",
  source:
    "deepspeed runtime/pipe/module.py, runtime/dataloader.py, runtime/activation_checkpointing/checkpointing.py: configure, autotuning/autotuner.py, " +
    "runtime/engine.py: compile",
  check: (stage, plan) =>
    Object.entries(unused).flatMap(([key, reason]) => {
      const value = at(stage.raw, key);
      const why = typeof reason === "string" ? reason : reason(stage, plan);
      return value === undefined || why === null || isOff(value) ? [] : [told(spanOf(stage, key), key, why)];
    }),
};

function told(span: Span, key: string, why: string): Diagnostic {
  const unused = engineRawUnused(span, { key, why });
  return idle.has(key) ? { ...unused, severity: "warning" } : unused;
}

function at(config: Document, path: string): Document | undefined {
  return path
    .split(".")
    .reduce<Document | undefined>((value, key) => (isSection(value) ? value[key] : undefined), config);
}

function isOff(value: Document): boolean {
  return value === false || value === null || (isSection(value) && value["enabled"] === false);
}
