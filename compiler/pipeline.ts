/**
 * The resolved pipeline: what the passes read. Everything is checked, typed and in plain units (bytes, seconds,
 * tokens, samples, steps, parameters, dollars); each value keeps its origin.
 */
export type * from "./pipeline/given.ts";
export type * from "./pipeline/model.ts";
export type * from "./pipeline/cluster.ts";
export type * from "./pipeline/course.ts";
export type * from "./pipeline/steps.ts";
export type * from "./pipeline/stage.ts";
export type * from "./pipeline/launch.ts";
import type { LaunchSpec } from "./pipeline/launch.ts";
import type { StageStep } from "./pipeline/stage.ts";
import type { DataStep, EvalStep, SampleStep, TokenizerStep } from "./pipeline/steps.ts";

export type PipelineStep = TokenizerStep | DataStep | StageStep | EvalStep | SampleStep;

/** All steps a file says, in an order in which each follows what it needs. */
export interface Pipeline {
  readonly steps: readonly PipelineStep[];
  readonly launch: LaunchSpec;
}
