import type { ForeignRule } from "../rule.ts";
import { slurmApartRules } from "./apart.ts";
import { slurmConflictRules } from "./conflicts.ts";
import { slurmDirectiveRules } from "./directives.ts";
import { slurmLaunchRules } from "./launch.ts";
import { slurmOnceRules } from "./once.ts";
import { slurmOptionRules } from "./options.ts";
import { slurmRules } from "./slurm.ts";
import { slurmStepRules } from "./steps.ts";

export const slurm: readonly ForeignRule[] = [
  ...slurmRules,
  ...slurmLaunchRules,
  ...slurmOnceRules,
  ...slurmOptionRules,
  ...slurmStepRules,
  ...slurmConflictRules,
  ...slurmDirectiveRules,
  ...slurmApartRules,
];
