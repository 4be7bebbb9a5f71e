/** A stage, its cluster and its model as the planner takes them. */
import type { Engine } from "../../engines/engine.ts";
import { families } from "../../models/index.ts";
import type { ClusterSpec } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import type { Setting } from "../../planner/setting.ts";
import { size } from "../size.ts";
import type { LaidStage } from "./laid-stage.ts";

export function settingOf(
  stage: LaidStage,
  cluster: ClusterSpec,
  model: SizedModel,
  globalBatch: number,
  engine: Engine,
): Setting {
  return {
    family: families[model.family],
    model,
    cluster,
    engine,
    precision: stage.precision.value,
    attention: stage.attention,
    compile: stage.compile,
    tf32: stage.determinism === "default" && stage.exactProducts !== true,
    ...(stage.determinism === "bitwise" ? { deterministic: true } : {}),
    ...(stage.averaged === undefined ? {} : { averaged: stage.averaged }),
    sequence: stage.sequence.value,
    globalBatch,
    // DeepSpeed keeps a second copy of the weights within a group, torch the only one.
    ...(stage.engine?.value === "torch" && stage.sharding.over !== null
      ? { shardOver: stage.sharding.over.value }
      : {}),
    ...(stage.engine?.value === "deepspeed" && stage.sharding.over !== null
      ? { secondOver: stage.sharding.over.value }
      : {}),
    ...(stage.engine?.value === "deepspeed" && stage.sharding.quantize !== null
      ? { quantize: stage.sharding.quantize.value }
      : {}),
    ...(stage.engine?.value === "deepspeed" && stage.sharding.nvme !== null ? { nvme: true } : {}),
    optimizer: stage.optimizer,
    ...(engine.name === "megatron" ? { raw: stage.rawMegatron } : {}),
    ...(engine.name === "deepspeed" ? { raw: stage.raw } : {}),
    ...(stage.details === undefined ? {} : { details: stage.details }),
    ...(stage.narrow === undefined ? {} : { narrow: stage.narrow }),
    ...(stage.tuning === undefined ? {} : { tuning: stage.tuning }),
    ...taughtBy(stage),
  };
}

function taughtBy({ teacher }: LaidStage): Pick<Setting, "teacher"> {
  const model = teacher === undefined ? null : size(teacher).model;
  return model === null ? {} : { teacher: { family: families[model.family], model } };
}
