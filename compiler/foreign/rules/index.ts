import { accelerateRules } from "./accelerate.ts";
import { datasetRules } from "./datasets.ts";
import { expertRules } from "./experts.ts";
import { hostRules } from "./hosts.ts";
import { jobRules } from "./jobs.ts";
import { kubernetesRules } from "./kubernetes.ts";
import { launcherRules } from "./launchers.ts";
import { lightningRules } from "./lightning.ts";
import { megatronRules } from "./megatron.ts";
import { otherRules } from "./others.ts";
import { precisionRules } from "./precision.ts";
import type { ForeignRule } from "./rule.ts";
import { savedRules } from "./saved.ts";
import { savingRules } from "./saving.ts";
import { sizeRules } from "./sizes.ts";
import { slurmRules } from "./slurm.ts";
import { trainerRules } from "./trainer.ts";
import { versionRules } from "./versions.ts";
import { waitingRules } from "./waiting.ts";

export const foreignRules: readonly ForeignRule[] = [
  ...slurmRules,
  ...launcherRules,
  ...trainerRules,
  ...accelerateRules,
  ...kubernetesRules,
  ...otherRules,
  ...precisionRules,
  ...megatronRules,
  ...hostRules,
  ...jobRules,
  ...savedRules,
  ...savingRules,
  ...waitingRules,
  ...versionRules,
  ...datasetRules,
  ...lightningRules,
  ...expertRules,
  ...sizeRules,
];
