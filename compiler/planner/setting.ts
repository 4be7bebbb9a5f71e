import type { Engine, Precision } from "../engines/engine.ts";
import type { Family } from "../models/family.ts";
import type { ClusterSpec, NarrowSpec, OptimizerSpec, StageStep, TuningSpec } from "../pipeline.ts";
import type { Layout, SizedModel } from "../plan.ts";
import type { Details } from "./details.ts";
import type { Module } from "./physics/layout.ts";

/** What is decided before the planner chooses. */
export interface Setting {
  readonly family: Family;
  readonly model: SizedModel;
  readonly cluster: ClusterSpec;
  readonly engine: Engine;
  readonly precision: Precision;
  readonly attention: StageStep["attention"];
  /** `torch.compile` fuses what lies between the products. */
  readonly compile: boolean;
  /** The training program lets fp32 products run in TF32 unless the run has to repeat bit for bit or the stage wants them exact. */
  readonly tf32: boolean;
  /** The run has to repeat bit for bit. */
  readonly deterministic?: true;
  /** A mean of the weights is kept beside them. */
  readonly averaged?: true;
  readonly sequence: number;
  /** Samples per optimizer step over all ranks. */
  readonly globalBatch: number;
  /** Ranks that hold one copy of what stage 3 shards; all of them where absent. */
  readonly shardOver?: number;
  /** Ranks that hold a second copy of the weights among them under stage 3. */
  readonly secondOver?: number;
  /** What goes over the network in fewer bits under stage 3. */
  readonly quantize?: readonly ("weights" | "gradients")[];
  /** What is offloaded lies on disks of the nodes. */
  readonly nvme?: true;
  /** AdamW where absent. */
  readonly optimizer?: Pick<OptimizerSpec, "name" | "momentum" | "muon">;
  /** Of `fp8` and `fp4`. */
  readonly narrow?: NarrowSpec;
  /** What is trained, where that is not the whole model. */
  readonly tuning?: TuningSpec;
  /** The model that a stage learns from. */
  readonly teacher?: { readonly family: Family; readonly model: SizedModel };
  /** What the layout says beside the kinds of recomputation and offloading. */
  readonly details?: Details;
  /** What the stage says in the engine's own words. */
  readonly raw?: StageStep["rawMegatron"];
}

/** Over how many ranks a model is split, besides the replicas. */
export interface Split {
  readonly tensor_parallel: number;
  readonly pipeline_parallel: number;
  readonly virtual_pipeline: number;
  readonly context_parallel: number;
  readonly expert_parallel: number;
  /** Ranks that share the matrices of each expert. */
  readonly expert_tensor_parallel: number;
  readonly sequence_parallel: boolean;
}

/** Every rank holds the whole model. */
export const unsplit: Split = {
  tensor_parallel: 1,
  pipeline_parallel: 1,
  virtual_pipeline: 1,
  context_parallel: 1,
  expert_parallel: 1,
  expert_tensor_parallel: 1,
  sequence_parallel: false,
};

/** What the planner chooses. */
export interface Choice extends Split {
  readonly micro_batch: number;
  readonly accumulation: number;
  readonly zero_stage: Layout["zero_stage"];
  readonly recompute: Layout["recompute"];
  /** Of `full`, layers of each chunk that run again; all of them, or as many as the file says, where absent. */
  readonly repeats?: number;
  /** Of `selective`, where the planner says which. */
  readonly modules?: readonly Module[];
  readonly offload: Layout["offload"];
}

/** Replicas of the model; each sees its own samples. */
export function replicasOf(cluster: ClusterSpec, split: Split): number {
  return worldOf(cluster) / (split.tensor_parallel * split.pipeline_parallel * split.context_parallel);
}

export function worldOf(cluster: ClusterSpec): number {
  return cluster.nodes * cluster.gpusPerNode;
}

/** Machines without a GPU have costs of their own; an engine that has none there is planned as on a GPU, and refused. */
export function onCpu({ cluster, engine }: Setting): boolean {
  return cluster.device.kind === "cpu" && engine.onCpu !== undefined;
}
