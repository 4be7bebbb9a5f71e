/** What of a stage decides how it is laid out, and with it the memory and the time of a step: not how it learns, nor what it tells meanwhile. */
import type { OptimizerSpec, StageStep } from "../../pipeline.ts";

const deciding = [
  ...(["engine", "sharding", "megatron", "raw", "rawMegatron", "layout", "details", "sequence", "batch"] as const),
  ...(["precision", "narrow", "tuning", "teacher", "averaged", "attention", "compile", "determinism"] as const),
  ...(["exactProducts", "linked", "isHurried"] as const),
] as const;

/** What it is called and where it was said is for messages alone. */
type Said = "name" | "span";

export interface LaidStage extends Pick<StageStep, (typeof deciding)[number] | "model" | Said> {
  readonly optimizer: Pick<OptimizerSpec, "name" | "momentum" | "muon">;
}

/** The same for stages that are laid out alike, whatever they and what they read are called. */
export function laidBy(stage: LaidStage): unknown {
  const { name, momentum, muon } = stage.optimizer;
  return [
    { ...stage.model, name: null },
    name,
    momentum,
    muon?.iterations,
    ...deciding.map((property) => stage[property]),
  ];
}
