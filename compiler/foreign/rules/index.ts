import { accelerate } from "./accelerate/index.ts";
import { axolotl } from "./axolotl/index.ts";
import { bridge } from "./bridge/index.ts";
import { deepspeed } from "./deepspeed/index.ts";
import { fsdp } from "./fsdp/index.ts";
import { kubernetes } from "./kubernetes/index.ts";
import { launchers } from "./launchers/index.ts";
import { llamaFactory } from "./llama-factory/index.ts";
import { megatron } from "./megatron/index.ts";
import { neox } from "./neox/index.ts";
import { program } from "./program/index.ts";
import { slurm } from "./slurm/index.ts";
import { swift } from "./swift/index.ts";
import { torchtitan } from "./torchtitan/index.ts";
import { trainer } from "./trainer/index.ts";
import { trl } from "./trl/index.ts";
import { batchRules } from "./batches.ts";
import { commandRules } from "./commands.ts";
import { datasetRules } from "./datasets.ts";
import { deviceRules } from "./devices.ts";
import { expertRules } from "./experts.ts";
import { gluedLineRules } from "./glued-lines.ts";
import { hostRules } from "./hosts.ts";
import { jobRules } from "./jobs.ts";
import { lightningRules } from "./lightning.ts";
import { meetingRules } from "./meetings.ts";
import { oneAfterOtherRules } from "./one-after-other.ts";
import { modelPartRules } from "./model-parts.ts";
import { otherTrainerRules } from "./other-trainers.ts";
import { packageNeedRules } from "./package-needs.ts";
import { packagePairRules } from "./package-pairs.ts";
import { pipelineRules } from "./pipelines.ts";
import { placeRules } from "./places.ts";
import { precisionRules } from "./precision.ts";
import { placeholderRules } from "./placeholders.ts";
import { preprocessRules } from "./preprocess.ts";
import { quantizedReleaseRules } from "./quantized-releases.ts";
import { restartRules } from "./restarts.ts";
import type { ForeignRule } from "./rule.ts";
import { savedRules } from "./saved.ts";
import { savingRules } from "./saving.ts";
import { sectionRules } from "./sections.ts";
import { shellArithmeticRules } from "./shell-arithmetic.ts";
import { shellAssignmentRules } from "./shell-assignments.ts";
import { sequenceHeadRules } from "./sequence-heads.ts";
import { sizeRules } from "./sizes.ts";
import { modelReleaseRules } from "./model-releases.ts";
import { nanotronRules } from "./nanotron.ts";
import { startedRankRules } from "./started-ranks.ts";
import { statesMemoryRules } from "./states-memory.ts";
import { universalRules } from "./universal.ts";
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
  ...slurm,
  ...launchers,
  ...meetingRules,
  ...oneAfterOtherRules,
  ...startedRankRules,
  ...visibleDeviceRules,
  ...deepspeed,
  ...trainer,
  ...quantizedReleaseRules,
  ...zeroRules,
  ...accelerate,
  ...axolotl,
  ...llamaFactory,
  ...trl,
  ...swift,
  ...vllmServeRules,
  ...fsdp,
  ...kubernetes,
  ...precisionRules,
  ...placeRules,
  ...yamlRules,
  ...neox,
  ...program,
  ...pipelineRules,
  ...modelPartRules,
  ...modelReleaseRules,
  ...sequenceHeadRules,
  ...batchRules,
  ...verlRules,
  ...restartRules,
  ...megatron,
  ...deviceRules,
  ...nanotronRules,
  ...torchtitan,
  ...bridge,
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
  ...shellArithmeticRules,
  ...shellAssignmentRules,
  ...variableNameRules,
  ...packagePairRules,
  ...sectionRules,
  ...commandRules,
  ...gluedLineRules,
  ...placeholderRules,
  ...otherTrainerRules,
  ...universalRules,
  ...unreadRules,
  ...worldSaidRules,
];
