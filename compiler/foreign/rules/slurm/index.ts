import type { ForeignRule } from "../rule.ts";
import { slurmApartRules } from "./apart.ts";
import { slurmConflictRules } from "./conflicts.ts";
import { slurmDirectiveRules } from "./directives.ts";
import { slurmCountRules } from "./counts.ts";
import { slurmFirstNodeRules } from "./first-node.ts";
import { slurmMeetingRules } from "./meeting.ts";
import { slurmOnceRules } from "./once.ts";
import { slurmOptionRules } from "./options.ts";
import { slurmRules } from "./slurm.ts";
import { slurmSameRankRules } from "./same-rank.ts";
import { slurmStepRules } from "./steps.ts";

export const slurm: readonly ForeignRule[] = [
  ...slurmRules,
  ...slurmFirstNodeRules,
  ...slurmMeetingRules,
  ...slurmCountRules,
  ...slurmOnceRules,
  ...slurmSameRankRules,
  ...slurmOptionRules,
  ...slurmStepRules,
  ...slurmConflictRules,
  ...slurmDirectiveRules,
  ...slurmApartRules,
];
