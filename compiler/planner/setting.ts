import type { Engine, Precision } from "../engines/engine.ts";
import type { Family } from "../models/family.ts";
import type { ClusterSpec, StageStep } from "../pipeline.ts";
import type { Layout, SizedModel } from "../plan.ts";

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
  /** The training program lets fp32 products run in TF32 unless the run has to repeat bit for bit. */
  readonly tf32: boolean;
  readonly sequence: number;
  /** Samples per optimizer step over all ranks. */
  readonly globalBatch: number;
}

/** What the planner chooses. */
export interface Choice {
  readonly micro_batch: number;
  readonly accumulation: number;
  readonly zero_stage: Layout["zero_stage"];
  readonly recompute: Layout["recompute"];
  readonly offload: Layout["offload"];
}

export function worldOf(cluster: ClusterSpec): number {
  return cluster.nodes * cluster.gpusPerNode;
}
