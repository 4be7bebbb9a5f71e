import { accelerateFileRules } from "./accelerate-files.ts";
import { accelerateHandlerRules } from "./accelerate-handlers.ts";
import { accelerateLaunchRules } from "./accelerate-launch.ts";
import { accelerateMachineRules } from "./accelerate-machines.ts";
import { accelerateNodeRules } from "./accelerate-nodes.ts";
import { accelerateParallelismRules } from "./accelerate-parallelism.ts";
import { accelerateRules } from "./accelerate.ts";
import { axolotlFieldRules } from "./axolotl-fields.ts";
import { axolotlOptionRules } from "./axolotl-options.ts";
import { axolotlRules } from "./axolotl.ts";
import { batchRules } from "./batches.ts";
import { bridgeRules } from "./bridge.ts";
import { commandRules } from "./commands.ts";
import { datasetRules } from "./datasets.ts";
import { deepspeedElasticRules } from "./deepspeed-elastic.ts";
import { deepspeedLauncherRules } from "./deepspeed-launcher.ts";
import { deepspeedReleaseRules } from "./deepspeed-releases.ts";
import { deepspeedScheduleRules } from "./deepspeed-schedule.ts";
import { deepspeedSequenceRules } from "./deepspeed-sequence.ts";
import { deviceRules } from "./devices.ts";
import { expertRules } from "./experts.ts";
import { fsdpLaunchRules } from "./fsdp-launch.ts";
import { fsdpRules } from "./fsdp.ts";
import { gluedLineRules } from "./glued-lines.ts";
import { hostRules } from "./hosts.ts";
import { jobRules } from "./jobs.ts";
import { kubernetesCountRules } from "./kubernetes-counts.ts";
import { kubernetesElasticRules } from "./kubernetes-elastic.ts";
import { kubernetesFieldRules } from "./kubernetes-fields.ts";
import { kubernetesMpiJobRules } from "./kubernetes-mpijob.ts";
import { kubernetesNameRules } from "./kubernetes-names.ts";
import { kubernetesRequiredRules } from "./kubernetes-required.ts";
import { kubernetesResourceRules } from "./kubernetes-resources.ts";
import { kubernetesTrainJobRules } from "./kubernetes-trainjob.ts";
import { kubernetesRules } from "./kubernetes.ts";
import { launcherNameRules } from "./launcher-names.ts";
import { launcherOptionRules } from "./launcher-options.ts";
import { launcherRules } from "./launchers.ts";
import { lightningRules } from "./lightning.ts";
import { llamaFactoryDataRules } from "./llama-factory-data.ts";
import { llamaFactoryNameRules } from "./llama-factory-names.ts";
import { llamaFactoryRules } from "./llama-factory.ts";
import { meetingRules } from "./meetings.ts";
import { megatronDeepspeedRules } from "./megatron-deepspeed.ts";
import { megatronReleaseRules } from "./megatron-releases.ts";
import { megatronRules } from "./megatron.ts";
import { modelPartRules } from "./model-parts.ts";
import { neoxRules } from "./neox.ts";
import { otherTrainerRules } from "./other-trainers.ts";
import { packageNeedRules } from "./package-needs.ts";
import { packagePairRules } from "./package-pairs.ts";
import { pipelineRules } from "./pipelines.ts";
import { placeRules } from "./places.ts";
import { precisionRules } from "./precision.ts";
import { preprocessRules } from "./preprocess.ts";
import { quantizedReleaseRules } from "./quantized-releases.ts";
import { restartRules } from "./restarts.ts";
import type { ForeignRule } from "./rule.ts";
import { savedRules } from "./saved.ts";
import { savingRules } from "./saving.ts";
import { sectionRules } from "./sections.ts";
import { shellAssignmentRules } from "./shell-assignments.ts";
import { sequenceHeadRules } from "./sequence-heads.ts";
import { sizeRules } from "./sizes.ts";
import { slurmConflictRules } from "./slurm-conflicts.ts";
import { slurmDirectiveRules } from "./slurm-directives.ts";
import { slurmLaunchRules } from "./slurm-launch.ts";
import { slurmOnceRules } from "./slurm-once.ts";
import { slurmOptionRules } from "./slurm-options.ts";
import { slurmStepRules } from "./slurm-steps.ts";
import { slurmRules } from "./slurm.ts";
import { trainerAccelerateRules } from "./trainer-accelerate.ts";
import { trainerChoiceRules } from "./trainer-choices.ts";
import { trainerDeepspeedRules } from "./trainer-deepspeed.ts";
import { trainerNameRules } from "./trainer-names.ts";
import { trainerNumberRules } from "./trainer-numbers.ts";
import { trainerReleaseRules } from "./trainer-releases.ts";
import { trainerScheduleRules } from "./trainer-schedules.ts";
import { trainerStreamingRules } from "./trainer-streaming.ts";
import { trainerTogetherRules } from "./trainer-together.ts";
import { trainerWordRules } from "./trainer-words.ts";
import { trainerRules } from "./trainer.ts";
import { modelReleaseRules } from "./model-releases.ts";
import { nanotronRules } from "./nanotron.ts";
import { neoxFilesRules } from "./neox-files.ts";
import { neoxTokenizerRules } from "./neox-tokenizer.ts";
import { neoxModelRules } from "./neox-model.ts";
import { torchtitanFileRules } from "./torchtitan-files.ts";
import { swiftMegatronRankRules } from "./swift-megatron-ranks.ts";
import { swiftMegatronRules } from "./swift-megatron.ts";
import { swiftNameRules } from "./swift-names.ts";
import { swiftRules } from "./swift.ts";
import { torchtitanRunRules } from "./torchtitan-runs.ts";
import { startedRankRules } from "./started-ranks.ts";
import { statesMemoryRules } from "./states-memory.ts";
import { torchtitanRules } from "./torchtitan.ts";
import { bridgeCheckpointRules } from "./bridge-checkpoints.ts";
import { bridgeConditionRules } from "./bridge-conditions.ts";
import { bridgeParallelRules } from "./bridge-parallel.ts";
import { bridgeRunRules } from "./bridge-runs.ts";
import { bridgeShapeRules } from "./bridge-shape.ts";
import { bridgeValueRules } from "./bridge-values.ts";
import { trlNameRules } from "./trl-names.ts";
import { trlTrainerRules } from "./trl-trainers.ts";
import { trlRules } from "./trl.ts";
import { unreadRules } from "./unread.ts";
import { variableNameRules } from "./variable-names.ts";
import { verlRules } from "./verl.ts";
import { versionRules } from "./versions.ts";
import { visibleDeviceRules } from "./visible-devices.ts";
import { vllmServeRules } from "./vllm-serve.ts";
import { waitingRules } from "./waiting.ts";
import { worldSaidRules } from "./world-said.ts";
import { yamlRules } from "./yaml.ts";
import { zeroRules } from "./zero.ts";

export const foreignRules: readonly ForeignRule[] = [
  ...slurmRules,
  ...slurmLaunchRules,
  ...slurmOnceRules,
  ...slurmOptionRules,
  ...slurmStepRules,
  ...slurmConflictRules,
  ...slurmDirectiveRules,
  ...launcherRules,
  ...launcherNameRules,
  ...launcherOptionRules,
  ...meetingRules,
  ...startedRankRules,
  ...visibleDeviceRules,
  ...deepspeedLauncherRules,
  ...deepspeedElasticRules,
  ...deepspeedSequenceRules,
  ...trainerRules,
  ...trainerNameRules,
  ...trainerNumberRules,
  ...trainerWordRules,
  ...trainerChoiceRules,
  ...trainerDeepspeedRules,
  ...trainerAccelerateRules,
  ...trainerReleaseRules,
  ...quantizedReleaseRules,
  ...trainerScheduleRules,
  ...trainerStreamingRules,
  ...trainerTogetherRules,
  ...zeroRules,
  ...deepspeedScheduleRules,
  ...deepspeedReleaseRules,
  ...accelerateLaunchRules,
  ...accelerateMachineRules,
  ...accelerateHandlerRules,
  ...accelerateNodeRules,
  ...accelerateRules,
  ...accelerateParallelismRules,
  ...axolotlRules,
  ...axolotlOptionRules,
  ...axolotlFieldRules,
  ...llamaFactoryRules,
  ...llamaFactoryNameRules,
  ...llamaFactoryDataRules,
  ...trlRules,
  ...trlTrainerRules,
  ...trlNameRules,
  ...swiftRules,
  ...swiftMegatronRules,
  ...swiftMegatronRankRules,
  ...swiftNameRules,
  ...vllmServeRules,
  ...fsdpLaunchRules,
  ...kubernetesRules,
  ...kubernetesCountRules,
  ...kubernetesElasticRules,
  ...kubernetesNameRules,
  ...kubernetesFieldRules,
  ...kubernetesRequiredRules,
  ...kubernetesTrainJobRules,
  ...kubernetesResourceRules,
  ...kubernetesMpiJobRules,
  ...precisionRules,
  ...placeRules,
  ...yamlRules,
  ...neoxRules,
  ...pipelineRules,
  ...modelPartRules,
  ...modelReleaseRules,
  ...sequenceHeadRules,
  ...batchRules,
  ...verlRules,
  ...restartRules,
  ...megatronRules,
  ...megatronDeepspeedRules,
  ...megatronReleaseRules,
  ...accelerateFileRules,
  ...fsdpRules,
  ...deviceRules,
  ...nanotronRules,
  ...neoxFilesRules,
  ...neoxModelRules,
  ...neoxTokenizerRules,
  ...torchtitanRules,
  ...torchtitanRunRules,
  ...torchtitanFileRules,
  ...bridgeRules,
  ...bridgeParallelRules,
  ...bridgeCheckpointRules,
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
  ...packageNeedRules,
  ...preprocessRules,
  ...datasetRules,
  ...lightningRules,
  ...expertRules,
  ...sizeRules,
  ...statesMemoryRules,
  ...shellAssignmentRules,
  ...variableNameRules,
  ...packagePairRules,
  ...sectionRules,
  ...commandRules,
  ...gluedLineRules,
  ...otherTrainerRules,
  ...unreadRules,
  ...worldSaidRules,
];
