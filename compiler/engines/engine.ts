import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Widths } from "../models/measure.ts";
import type { ClusterSpec, Device, NarrowSpec, Precision, StageStep, TuningSpec } from "../pipeline.ts";
import type { Layout, SizedModel, StagePlan } from "../plan.ts";
import type { Details, PipelineSchedule } from "../planner/details.ts";
import type { PipelineCut } from "../planner/cuts.ts";
import type { Engine as PhysicalEngine } from "../planner/physics/engine.ts";
import type { Layout as PhysicalLayout, Module } from "../planner/physics/layout.ts";
import type { CpuCosts } from "./cpu-costs.ts";

export type { Precision } from "../pipeline.ts";

/** What an engine can do; the planner looks nowhere else. */
export interface Capabilities {
  readonly zero_stages: readonly Layout["zero_stage"][];
  readonly recompute: readonly Layout["recompute"][];
  readonly offload: readonly Layout["offload"][];
  /** Of `offload`, what the planner takes only where the layout speaks of it. */
  readonly offloadAsked?: readonly Layout["offload"][];
  /** It trains all of a model: neither adapters nor with parts of it frozen. */
  readonly trainsWhole?: true;
  /** What it takes beside the kinds of recomputation and offloading. */
  readonly details?: readonly (keyof Details)[];
  /** Orders of a pipeline's micro-batches. */
  readonly schedules?: readonly PipelineSchedule[];
  /** Largest value of each kind of parallelism besides data parallelism. */
  readonly parallel: {
    readonly tensor_parallel: number;
    readonly pipeline_parallel: number;
    readonly virtual_pipeline: number;
    readonly context_parallel: number;
    readonly expert_parallel: number;
    readonly expert_tensor_parallel: number;
  };
}

/** What decides whether ranks can share a sequence. */
export interface SequenceRun {
  readonly model: SizedModel;
  readonly sequence: number;
  readonly attention: StageStep["attention"];
  readonly precision: Precision;
  readonly cluster: Pick<ClusterSpec, "device">;
}

/** What decides which modules can be recomputed by themselves. */
export interface SparedStage {
  readonly model: SizedModel;
  readonly precision: Precision;
  readonly narrow?: NarrowSpec;
  readonly cluster: Pick<ClusterSpec, "device">;
}

/** What an engine's pipeline takes, where that is not all that it does without one. */
export interface Pipelined {
  readonly zero_stages: Capabilities["zero_stages"];
  readonly offload: Capabilities["offload"];
  /** What keeps a model from being cut into stages, each as one clause. */
  readonly uncut: (run: PipelineRun) => readonly string[];
}

/** What an engine takes beside ranks that share experts, where that is not all that it does without them. */
export interface SharedExperts {
  readonly zero_stages: Capabilities["zero_stages"];
  readonly offload: Capabilities["offload"];
  /** What keeps the experts of a model on every rank, each as one clause. */
  readonly unfound: (run: ExpertsRun) => readonly string[];
}

export interface ExpertsRun {
  readonly model: SizedModel;
  readonly tuning?: TuningSpec;
  readonly compile: boolean;
}

/** What decides whether the host can run an optimizer. */
export interface HostedStep {
  readonly optimizer?: { readonly name: string };
  readonly narrow?: NarrowSpec;
  /** What the stage says in the engine's own words. */
  readonly raw?: StageStep["rawMegatron"];
}

/** What of a stage names a release, and what it leaves open. */
export type ReleasedStage = Pick<StageStep, "megatron" | "layout">;

export interface PipelineRun {
  readonly model: SizedModel;
  readonly tuning?: TuningSpec;
  readonly compile: boolean;
}

/** What the physics has to know of a run to say what an engine allocates. */
export interface Run {
  readonly model: SizedModel;
  readonly device: Device;
  readonly precision: Precision;
  readonly narrow?: NarrowSpec;
  /** What the stage says in the engine's own words. */
  readonly raw?: StageStep["rawMegatron"];
  /** `eager` writes its scores to memory. */
  readonly attention: StageStep["attention"];
  readonly zero_stage: Layout["zero_stage"];
  readonly offload: Layout["offload"];
  /** Of all, not of a group, but where groups hold a copy each: of one of them. */
  readonly ranks: number;
  /** It has to repeat bit for bit. */
  readonly deterministic: boolean;
  /** What goes over the network in fewer bits under stage 3. */
  readonly quantize?: readonly ("weights" | "gradients")[];
}

/** An engine in the terms of the physics. */
export interface Described {
  readonly engine: PhysicalEngine;
  /** Bytes per parameter of a rank's shard that lie on the host. */
  readonly host: number;
  /** Share of the parameters whose optimizer the host runs though the layout does not say so; none where absent. */
  readonly stepped?: number;
  /** Bytes per parameter of the whole model that every process builds on its host before it is cut or moved; none where absent. */
  readonly built?: number;
  /** Bytes per parameter of the whole model that the first process gathers on its host to save it; none where absent. */
  readonly saved?: number;
}

/** Names of the measured constants that speak for an engine, nearest first. */
export interface Measured {
  readonly time: readonly string[];
  readonly memory: readonly string[];
  /** Too few of its own steps were measured, or only its kin's: the interval of time is as wide as of a guess. */
  readonly timeOfKin?: true;
  /**
   * Half-width of the 80 % interval, on a log scale, of what the engine's own program allocates, where only that was measured and
   * `memory` speaks for the device's allocator.
   */
  readonly program?: number;
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
  readonly capabilities: Capabilities;
  /** `sharded`: ranks share the weights out. */
  readonly widths: (precision: Precision, sharded?: boolean) => Widths;
  readonly describe: (run: Run) => Described;
  readonly measured: Measured;
  /** What it needs on a processor; absent where it trains on GPUs only. */
  readonly onCpu?: CpuCosts;
  readonly rules: readonly Rule[];
  /** Why it has no such model; absent where it takes every family. */
  readonly inexpressible?: (model: SizedModel) => readonly string[];
  /** What keeps so many ranks from sharing a sequence (`context_parallel`), each as one clause. */
  readonly unshared?: (run: SequenceRun, ranks: number) => readonly string[];
  /**
   * What its pipeline takes: layers are dealt out evenly, what is left over to the first stages, and no other split goes with it. Absent
   * where a pipeline is one split among others.
   */
  readonly pipelined?: Pipelined;
  /** Has it words for a cut of a pipeline into so many chunks a stage? For every one where absent. */
  readonly cuts?: (cut: PipelineCut, chunks: number) => boolean;
  /** What of it the release that a stage names is without, where the layout leaves it open. */
  readonly released?: (stage: ReleasedStage) => Partial<Pick<Engine, "capabilities" | "cuts" | "spared">>;
  /** What it takes beside ranks that share experts: whole sequences too. Absent where that is one split among others. */
  readonly sharedExperts?: SharedExperts;
  /** Of such an optimizer it shares out no states, unless they are on the host: `zero_stage` is 0 then. */
  readonly wholeStates?: (optimizer: string) => boolean;
  /** Can the host step what the stage trains with? The planner asks where the layout does not speak of it; always where absent. */
  readonly stepsOnHost?: (stage: HostedStep) => boolean;
  /**
   * Modules of a layer that it recomputes together and whose products do not run again: what a stage that has no room for all of a
   * layer need not keep. None where absent.
   */
  readonly spared?: (stage: SparedStage) => readonly Module[];
  /** What a stage's words of its own make of a layout. */
  readonly relaid?: (layout: PhysicalLayout, raw: StageStep["rawMegatron"], layers: number) => PhysicalLayout;
  /** Do a stage's words of its own say how a pipeline cuts layers, or in what groups its micro-batches take turns? */
  readonly cutInWords?: (raw: StageStep["rawMegatron"]) => boolean;
  /** An iteration of its evaluation is a whole global batch, so many of them where a stage does not say; a micro-batch of each replica where absent. */
  readonly evaluates?: { readonly iterations: number };
  /** Variables that a stage sets or takes away (`null`), whatever its launch says. */
  readonly environment?: (
    stage: StageStep,
    plan: StagePlan,
    cluster: ClusterSpec,
  ) => Readonly<Record<string, string | null>>;
  readonly lower: (stage: StageStep, plan: StagePlan, cluster: ClusterSpec) => readonly LoweredFile[];
}

/** Does `cdrc run` train with such an optimizer on it? The training program has AdamW; an engine with programs of its own says itself what it has. */
export const trainsWith = (engine: Engine, optimizer: string): boolean =>
  splitsModel(engine) || optimizer === "adamw";

/** Is every rank of it a replica of the model that reads samples of its own? */
export function replicates({ capabilities: { parallel } }: Pick<Engine, "capabilities">): boolean {
  return Math.max(parallel.tensor_parallel, parallel.pipeline_parallel, parallel.context_parallel) === 1;
}

/** Does it split the matrices of a model? Such an engine runs programs of its own. */
export function splitsModel({ capabilities: { parallel } }: Pick<Engine, "capabilities">): boolean {
  return parallel.tensor_parallel > 1;
}
