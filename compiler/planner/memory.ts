/** Bytes of one rank at its worst instant, and of its host. */
import type { Described } from "../engines/engine.ts";
import type { MemoryPlan } from "../plan.ts";
import { groundOf } from "./adapter/ground.ts";
import { batchOf, layoutOf } from "./adapter/spread.ts";
import { checkpointBytes } from "./checkpoint.ts";
import { cpuMemoryOf } from "./cpu/memory.ts";
import { hostedMoments } from "./host-adam.ts";
import { movedBytes } from "./moved.ts";
import { hostedFrozen, hostedParameters } from "./hosted.ts";
import { isOnDisk, onDisk, swapBuffer } from "./nvme.ts";
import { memoryOf as physicalRanks, type RankMemory } from "./physics/memory.ts";
import { taughtOf, type Taught } from "./teacher.ts";
import { onCpu, worldOf, type Choice, type Setting } from "./setting.ts";

const GiB = 2 ** 30;

/** Python, torch and the CUDA libraries of one rank on its host: about what a training process shows before its model. */
const hostRuntime = 3 * GiB;

/**
 * Of a device that tensors cannot have: the CUDA context with its kernels and, with several ranks, NCCL's buffers, as measured in
 * stas00/ml-engineering, training/performance; and what the caching allocator reserves over what is allocated (4 %, the median of 344
 * ranks).
 */
const context = 0.55 * GiB;
const communicators = 1.5 * GiB;
const reserve = 0.04;

/** The fullest of 1,758 published runs on several 80 GB cards had 77.1 GB allocated, of 80 GiB. */
const fullest = 0.9;

export function usableOf(setting: Setting): Pick<MemoryPlan, "usable" | "error"> {
  const { usable: fitted, memory_interval } = groundOf(setting).constants;
  return { usable: usableBytes(setting, fitted), error: Math.sinh(memory_interval) };
}

function usableBytes({ cluster }: Setting, fitted: number): number {
  const { memory } = cluster.device;
  const alone = worldOf(cluster) === 1;
  const left = memory - context - (alone ? 0 : communicators);
  const share = alone ? fitted : Math.min(fullest, fitted);
  return Math.max(0, Math.floor(Math.min(share * memory, left / (1 + reserve))));
}

/** What a rank of so many has on its host at least. */
export function hostFloor(setting: Setting, variant: Pick<Choice, "zero_stage" | "offload">, world: number): number {
  return hostRuntime + Math.max(builtBytes(setting, variant), hostedBytes(setting, variant, world)) - 1;
}

/** Before the engine cuts it or moves it to the device. */
const builtBytes = (setting: Setting, variant: Pick<Choice, "zero_stage" | "offload">): number =>
  (groundOf(setting).describe(variant).built ?? 0) * setting.model.parameters.total;

function hostedBytes(setting: Setting, variant: Pick<Choice, "zero_stage" | "offload">, world: number): number {
  const { describe } = groundOf(setting);
  const shard = hostedParameters(setting) / world;
  const frozen = hostedFrozen(setting, variant) / world;
  return isOnDisk(setting, variant)
    ? onDisk(
        setting,
        shard,
        hostedMoments(setting),
        variant,
        frozen,
        swapBuffer(setting.family, setting.model, world),
      ).host
    : hostedStates(setting, describe(variant)) * shard + frozen;
}

/** Descriptors speak of Adam: of its two moments in 32 bits, other optimizers keep a part. */
function hostedStates(setting: Setting, { host, stepped = 1 }: Described): number {
  return host === 0 ? 0 : host + stepped * (hostedMoments(setting) - 8);
}

/** A rank of each stage of the pipeline. */
export const ranksIn = (setting: Setting, choice: Choice): readonly RankMemory[] => ranksOf(setting, choice, "all");

/** That of the stage that needs most. */
export const fullestIn = (setting: Setting, choice: Choice): RankMemory =>
  ranksOf(setting, choice, "fullest").reduce((most, one) => (one.peak > most.peak ? one : most));

function ranksOf(setting: Setting, choice: Choice, which: "all" | "fullest"): readonly RankMemory[] {
  const { shape, constants, describe } = groundOf(setting);
  const { engine } = describe(choice);
  const taught = taughtOf(setting, choice);
  const layout = layoutOf(setting, choice);
  const own = physicalRanks(shape, layout, batchOf(setting, choice), engine, constants, which);
  return taught === null ? own : own.map((rank) => withTeacher(rank, taught, rank.stage === layout.pipeline - 1));
}

/** `parts` are those of the rank that needs most, so that they add up to `peak`. */
export function memoryOf(setting: Setting, choice: Choice): MemoryPlan {
  if (onCpu(setting)) return cpuMemoryOf(setting, choice);
  const { cluster } = setting;
  const { constants } = groundOf(setting);
  const parts = partsOf(fullestIn(setting, choice), constants.slack);
  const peak = wholeOf(parts);
  const { usable, error } = usableOf(setting);
  let ranks: MemoryPlan["ranks"] | undefined;
  return {
    capacity: cluster.device.memory,
    usable,
    peak,
    host_peak: hostPeak(setting, choice),
    checkpoint: checkpointBytes(setting),
    parts,
    // A search asks for the peaks of dozens of layouts, and a plan shows the ranks of one.
    get ranks() {
      return (ranks ??= ranksIn(setting, choice).map((rank) => {
        const held = partsOf(rank, constants.slack);
        return { pipeline_stage: rank.stage, peak: wholeOf(held), parts: held };
      }));
    },
    error,
  };
}

/** Of a node: every process builds its model, and later one of them gathers what is saved beside what all of them hold. */
function hostPeak(setting: Setting, choice: Choice): number {
  const { cluster, model, tuning } = setting;
  const { trained, describe } = groundOf(setting);
  const { saved = 0 } = describe(choice);
  // Of adapters they alone are saved.
  const kept = (tuning?.adapters ?? null) === null ? model.parameters.total : trained;
  const held = hostedBytes(setting, choice, worldOf(cluster)) + movedBytes(setting, choice);
  const starting = cluster.gpusPerNode * (hostRuntime + builtBytes(setting, choice));
  const training = cluster.gpusPerNode * (hostRuntime + held) + saved * kept;
  return Math.round(Math.max(starting, training));
}

/** The teacher's weights lie there all the time; what it says is compared on the last stage. */
function withTeacher(rank: RankMemory, { weights, gathered, logits }: Taught, isLast: boolean): RankMemory {
  const said = isLast ? logits : 0;
  const { parts } = rank;
  return {
    ...rank,
    peak: rank.peak + weights + gathered + said,
    parts: {
      ...parts,
      weights: parts.weights + weights,
      buffers: parts.buffers + gathered,
      logits: parts.logits + said,
    },
  };
}

/** What an engine turned out to allocate less than its descriptor says is less of every part. */
function partsOf({ parts, peak }: RankMemory, slack: number): MemoryPlan["parts"] {
  const scaled = (bytes: number): number => Math.round(Math.min(1, slack) * bytes);
  const held = {
    weights: scaled(parts.weights),
    gradients: scaled(parts.gradients),
    optimizer: scaled(parts.optimizer),
    activations: scaled(parts.activations),
    logits: scaled(parts.logits),
    buffers: scaled(parts.buffers),
  };
  return { ...held, runtime: Math.max(0, Math.round(peak - sumOf(held))) };
}

/** One name at a time: a search asks for those of every stage. */
const sumOf = (parts: Omit<MemoryPlan["parts"], "runtime">): number =>
  parts.weights + parts.gradients + parts.optimizer + parts.activations + parts.logits + parts.buffers;

const wholeOf = (parts: MemoryPlan["parts"]): number => sumOf(parts) + parts.runtime;
