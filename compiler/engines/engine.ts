import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Widths } from "../models/measure.ts";
import type { ClusterSpec, StageStep } from "../pipeline.ts";
import type { Layout, StagePlan } from "../plan.ts";

export type Precision = StageStep["precision"]["value"];

/** What an engine can do; the planner looks nowhere else. */
export interface Capabilities {
  readonly zero_stages: readonly Layout["zero_stage"][];
  readonly recompute: readonly Layout["recompute"][];
  readonly offload: readonly Layout["offload"][];
  /** Largest value of each kind of parallelism besides data parallelism. */
  readonly parallel: {
    readonly tensor_parallel: number;
    readonly pipeline_parallel: number;
    readonly virtual_pipeline: number;
    readonly context_parallel: number;
    readonly expert_parallel: number;
  };
}

/** What the memory of an engine's states depends on. */
export interface StateInput {
  readonly parameters: number;
  /** Parameters that matrix products read: autocast keeps copies of these. */
  readonly matrices: number;
  /** Parameters of the largest layer: what is gathered at once. */
  readonly layer: number;
  readonly d_model: number;
  readonly world: number;
  readonly precision: Precision;
  readonly zero_stage: Layout["zero_stage"];
  readonly offload: Layout["offload"];
}

/** Bytes of one rank. */
export interface States {
  readonly weights: number;
  readonly gradients: number;
  readonly optimizer: number;
  /** Buckets and gathered layers, held during forward and backward. */
  readonly buffers: number;
  /** What only the optimizer step needs, on top of weights, gradients and optimizer. */
  readonly step: number;
  /** On the host. */
  readonly host: number;
}

/** Bytes that one rank hands to each kind of collective in an optimizer step. */
export interface Traffic {
  readonly all_reduce: number;
  readonly reduce_scatter: number;
  readonly all_gather: number;
  /** Over the host link, both ways together. */
  readonly host: number;
}

/** One thing an engine demands of a plan, with the place in its code that does. */
export interface Rule {
  readonly name: string;
  readonly source: string;
  readonly check: (stage: StageStep, plan: StagePlan, cluster: ClusterSpec) => readonly Diagnostic[];
}

export interface LoweredFile {
  readonly path: string;
  readonly text: string;
}

export interface Engine {
  readonly name: StagePlan["engine"];
  readonly version: string;
  /** Bytes of a Python process with the engine's libraries and no model, measured. */
  readonly resident: number;
  readonly capabilities: Capabilities;
  readonly widths: (precision: Precision) => Widths;
  readonly states: (input: StateInput) => States;
  readonly traffic: (input: StateInput, accumulation: number) => Traffic;
  readonly rules: readonly Rule[];
  readonly lower: (stage: StageStep, plan: StagePlan) => readonly LoweredFile[];
}
