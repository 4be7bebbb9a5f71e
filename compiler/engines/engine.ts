import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Widths } from "../models/measure.ts";
import type { ClusterSpec, StageStep } from "../pipeline.ts";
import type { Layout, SizedModel, StagePlan } from "../plan.ts";

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
  /** Gradients lie in buffers that are made before the first step; otherwise they come as backward makes them. */
  readonly early_gradients: boolean;
}

/** What the memory of an engine's states depends on. */
export interface StateInput {
  /** Parameters of this rank before ZeRO shards anything. */
  readonly parameters: number;
  /** Those of them that belong to experts spread over ranks. */
  readonly experts: number;
  /** Ranks that hold the same experts. */
  readonly expert_world: number;
  /** Parameters that matrix products read: autocast keeps copies of these. */
  readonly matrices: number;
  /** Parameters of the largest layer: what is gathered at once. */
  readonly layer: number;
  readonly d_model: number;
  /** Ranks that hold the same parameters, experts excepted. */
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
  readonly executable?: boolean;
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
  /** Why it has no such model; absent where it takes every family. */
  readonly inexpressible?: (model: SizedModel) => readonly string[];
  readonly lower: (stage: StageStep, plan: StagePlan, cluster: ClusterSpec) => readonly LoweredFile[];
}

/** Can it give a rank less than whole layers? */
export function splitsModel({ capabilities }: Pick<Engine, "capabilities">): boolean {
  return Object.values(capabilities.parallel).some((most) => most > 1);
}
