import type { ForeignRule } from "../rule.ts";
import { trainerAccelerateRules } from "./accelerate.ts";
import { trainerBoundRules } from "./bounds.ts";
import { trainerChoiceRules } from "./choices.ts";
import { trainerDeepspeedRules } from "./deepspeed.ts";
import { trainerEpochRules } from "./epochs.ts";
import { trainerNameRules } from "./names.ts";
import { trainerNumberRules } from "./numbers.ts";
import { trainerOptimizerArgumentRules } from "./optimizer-arguments.ts";
import { trainerReleaseRules } from "./releases.ts";
import { trainerScheduleRules } from "./schedules.ts";
import { trainerStreamingRules } from "./streaming.ts";
import { trainerTogetherRules } from "./together.ts";
import { trainerReportRules } from "./report-to.ts";
import { trainerRules } from "./trainer.ts";
import { trainerTypeRules } from "./types.ts";
import { trainerWordRules } from "./words.ts";

export const trainer: readonly ForeignRule[] = [
  ...trainerRules,
  ...trainerNameRules,
  ...trainerNumberRules,
  ...trainerTypeRules,
  ...trainerWordRules,
  ...trainerBoundRules,
  ...trainerChoiceRules,
  ...trainerOptimizerArgumentRules,
  ...trainerEpochRules,
  ...trainerDeepspeedRules,
  ...trainerAccelerateRules,
  ...trainerReleaseRules,
  ...trainerReportRules,
  ...trainerScheduleRules,
  ...trainerStreamingRules,
  ...trainerTogetherRules,
];
