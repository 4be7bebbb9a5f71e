import { accelerateFileRules } from "./accelerate-files.ts";
import { accelerateRules } from "./accelerate.ts";
import { axolotlRules } from "./axolotl.ts";
import { batchRules } from "./batches.ts";
import { bridgeRules } from "./bridge.ts";
import { commandRules } from "./commands.ts";
import { datasetRules } from "./datasets.ts";
import { deepspeedLauncherRules } from "./deepspeed-launcher.ts";
import { deepspeedScheduleRules } from "./deepspeed-schedule.ts";
import { deviceRules } from "./devices.ts";
import { expertRules } from "./experts.ts";
import { fsdpLaunchRules } from "./fsdp-launch.ts";
import { fsdpRules } from "./fsdp.ts";
import { hostRules } from "./hosts.ts";
import { jobRules } from "./jobs.ts";
import { kubernetesCountRules } from "./kubernetes-counts.ts";
import { kubernetesNameRules } from "./kubernetes-names.ts";
import { kubernetesRules } from "./kubernetes.ts";
import { launcherRules } from "./launchers.ts";
import { lightningRules } from "./lightning.ts";
import { megatronRules } from "./megatron.ts";
import { modelPartRules } from "./model-parts.ts";
import { neoxRules } from "./neox.ts";
import { pipelineRules } from "./pipelines.ts";
import { placeRules } from "./places.ts";
import { precisionRules } from "./precision.ts";
import { restartRules } from "./restarts.ts";
import type { ForeignRule } from "./rule.ts";
import { savedRules } from "./saved.ts";
import { savingRules } from "./saving.ts";
import { sectionRules } from "./sections.ts";
import { shellAssignmentRules } from "./shell-assignments.ts";
import { sequenceHeadRules } from "./sequence-heads.ts";
import { sizeRules } from "./sizes.ts";
import { slurmLaunchRules } from "./slurm-launch.ts";
import { slurmOptionRules } from "./slurm-options.ts";
import { slurmStepRules } from "./slurm-steps.ts";
import { slurmRules } from "./slurm.ts";
import { trainerChoiceRules } from "./trainer-choices.ts";
import { trainerDeepspeedRules } from "./trainer-deepspeed.ts";
import { trainerNameRules } from "./trainer-names.ts";
import { trainerRules } from "./trainer.ts";
import { nanotronRules } from "./nanotron.ts";
import { neoxFilesRules } from "./neox-files.ts";
import { neoxModelRules } from "./neox-model.ts";
import { torchtitanRules } from "./torchtitan.ts";
import { bridgeConditionRules } from "./bridge-conditions.ts";
import { bridgeRunRules } from "./bridge-runs.ts";
import { bridgeShapeRules } from "./bridge-shape.ts";
import { bridgeValueRules } from "./bridge-values.ts";
import { unreadRules } from "./unread.ts";
import { versionRules } from "./versions.ts";
import { waitingRules } from "./waiting.ts";
import { worldSaidRules } from "./world-said.ts";
import { yamlRules } from "./yaml.ts";
import { zeroRules } from "./zero.ts";

export const foreignRules: readonly ForeignRule[] = [
  ...slurmRules,
  ...slurmLaunchRules,
  ...slurmOptionRules,
  ...slurmStepRules,
  ...launcherRules,
  ...deepspeedLauncherRules,
  ...trainerRules,
  ...trainerNameRules,
  ...trainerChoiceRules,
  ...trainerDeepspeedRules,
  ...zeroRules,
  ...deepspeedScheduleRules,
  ...accelerateRules,
  ...axolotlRules,
  ...fsdpLaunchRules,
  ...kubernetesRules,
  ...kubernetesCountRules,
  ...kubernetesNameRules,
  ...precisionRules,
  ...placeRules,
  ...yamlRules,
  ...neoxRules,
  ...pipelineRules,
  ...modelPartRules,
  ...sequenceHeadRules,
  ...batchRules,
  ...restartRules,
  ...megatronRules,
  ...accelerateFileRules,
  ...fsdpRules,
  ...deviceRules,
  ...nanotronRules,
  ...neoxFilesRules,
  ...neoxModelRules,
  ...torchtitanRules,
  ...bridgeRules,
  ...bridgeRunRules,
  ...bridgeShapeRules,
  ...bridgeConditionRules,
  ...bridgeValueRules,
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
  ...shellAssignmentRules,
  ...sectionRules,
  ...commandRules,
  ...unreadRules,
  ...worldSaidRules,
];
