import type { ForeignRule } from "../rule.ts";
import { accelerateRules } from "./accelerate.ts";
import { accelerateFileRules } from "./files.ts";
import { accelerateHandlerRules } from "./handlers.ts";
import { accelerateKindRules } from "./kinds.ts";
import { accelerateLaunchRules } from "./launch.ts";
import { accelerateMachineRules } from "./machines.ts";
import { accelerateNodeRules } from "./nodes.ts";
import { accelerateParallelismRules } from "./parallelism.ts";
import { accelerateReleaseRules } from "./releases.ts";

export const accelerate: readonly ForeignRule[] = [
  ...accelerateLaunchRules,
  ...accelerateMachineRules,
  ...accelerateHandlerRules,
  ...accelerateNodeRules,
  ...accelerateRules,
  ...accelerateParallelismRules,
  ...accelerateFileRules,
  ...accelerateKindRules,
  ...accelerateReleaseRules,
];
