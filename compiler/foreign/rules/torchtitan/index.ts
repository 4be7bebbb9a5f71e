import type { ForeignRule } from "../rule.ts";
import { torchtitanFileRules } from "./files.ts";
import { torchtitanRunRules } from "./runs.ts";
import { torchtitanStageRules } from "./stages.ts";
import { torchtitanRules } from "./torchtitan.ts";

export const torchtitan: readonly ForeignRule[] = [
  ...torchtitanRules,
  ...torchtitanRunRules,
  ...torchtitanFileRules,
  ...torchtitanStageRules,
];
