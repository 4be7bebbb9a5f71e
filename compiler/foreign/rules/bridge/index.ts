import type { ForeignRule } from "../rule.ts";
import { bridgeBatchRules } from "./batch.ts";
import { bridgeRules } from "./bridge.ts";
import { bridgeCheckpointRules } from "./checkpoints.ts";
import { bridgeConditionRules } from "./conditions.ts";
import { bridgeParallelRules } from "./parallel.ts";
import { bridgeRunRules } from "./runs.ts";
import { bridgeShapeRules } from "./shape.ts";
import { bridgeValueRules } from "./values.ts";

export const bridge: readonly ForeignRule[] = [
  ...bridgeRules,
  ...bridgeBatchRules,
  ...bridgeParallelRules,
  ...bridgeCheckpointRules,
  ...bridgeRunRules,
  ...bridgeShapeRules,
  ...bridgeConditionRules,
  ...bridgeValueRules,
];
