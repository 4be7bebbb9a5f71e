import type { ForeignRule } from "../rule.ts";
import { swiftMegatronRankRules } from "./megatron-ranks.ts";
import { swiftMegatronRules } from "./megatron.ts";
import { swiftNameRules } from "./names.ts";
import { swiftRules } from "./swift.ts";

export const swift: readonly ForeignRule[] = [
  ...swiftRules,
  ...swiftMegatronRules,
  ...swiftMegatronRankRules,
  ...swiftNameRules,
];
