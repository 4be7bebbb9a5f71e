import type { ForeignRule } from "../rule.ts";
import { deepspeedElasticRules } from "./elastic.ts";
import { deepspeedLauncherRules } from "./launcher.ts";
import { deepspeedReleaseRules } from "./releases.ts";
import { deepspeedScheduleRules } from "./schedule.ts";
import { deepspeedSequenceRules } from "./sequence.ts";
import { deepspeedSwapRules } from "./swap-buffer.ts";

export const deepspeed: readonly ForeignRule[] = [
  ...deepspeedLauncherRules,
  ...deepspeedElasticRules,
  ...deepspeedSequenceRules,
  ...deepspeedScheduleRules,
  ...deepspeedReleaseRules,
  ...deepspeedSwapRules,
];
