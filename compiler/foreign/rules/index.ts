import { accelerateFileRules } from "./accelerate-files.ts";
import { accelerateRules } from "./accelerate.ts";
import { bridgeRules } from "./bridge.ts";
import { datasetRules } from "./datasets.ts";
import { deviceRules } from "./devices.ts";
import { expertRules } from "./experts.ts";
import { fsdpRules } from "./fsdp.ts";
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
import { otherTrainerRules } from "./trainers.ts";
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
  ...accelerateFileRules,
  ...fsdpRules,
  ...deviceRules,
  ...otherTrainerRules,
  ...bridgeRules,
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
