import type { DataStep, Pipeline, StageStep } from "../../pipeline.ts";

/** Tokens of the validation split of a stage's data, where the file says how many it has in all. */
export function splitOf({ data }: StageStep, { steps }: Pipeline): number | null {
  const found = steps.find((step): step is DataStep => step.kind === "data" && step.name === data);
  return found?.tokens == null ? null : found.tokens * found.config.split.val;
}
