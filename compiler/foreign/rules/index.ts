import { accelerateRules } from "./accelerate.ts";
import { kubernetesRules } from "./kubernetes.ts";
import { launcherRules } from "./launchers.ts";
import { megatronRules } from "./megatron.ts";
import { otherRules } from "./others.ts";
import { precisionRules } from "./precision.ts";
import type { ForeignRule } from "./rule.ts";
import { slurmRules } from "./slurm.ts";
import { trainerRules } from "./trainer.ts";

export const foreignRules: readonly ForeignRule[] = [
  ...slurmRules,
  ...launcherRules,
  ...trainerRules,
  ...accelerateRules,
  ...kubernetesRules,
  ...otherRules,
  ...precisionRules,
  ...megatronRules,
];
