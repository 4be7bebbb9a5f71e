import type { Handle, PipelineStep } from "../../pipeline.ts";

/** Steps with those stages marked whose checkpoints pass between steps: not every engine reads what every other one writes. */
export function linked(steps: readonly PipelineStep[]): PipelineStep[] {
  const read = new Set(steps.flatMap((step) => handleOf(step)?.step ?? []));
  return steps.map((step) =>
    step.kind === "stage" && (step.from !== null || read.has(step.name)) ? { ...step, linked: true } : step,
  );
}

/** The checkpoint that a step reads. */
export function handleOf(step: PipelineStep): Handle | null {
  if (step.kind === "stage") return step.from;
  return step.kind === "eval" || step.kind === "sample" ? step.model : null;
}
