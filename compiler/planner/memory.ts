/** Bytes of one rank at its worst instant, and of its host. */
import type { MemoryPlan } from "../plan.ts";
import { groundOf } from "./adapter/ground.ts";
import { batchOf, layoutOf } from "./adapter/spread.ts";
import { checkpointBytes } from "./checkpoint.ts";
import { cpuMemoryOf } from "./cpu/memory.ts";
import { memoryOf as ranksOf, type RankMemory } from "./physics/memory.ts";
import { onCpu, worldOf, type Choice, type Setting } from "./setting.ts";

const GiB = 2 ** 30;

/** Python, torch and the CUDA libraries of one rank on its host: about what a training process shows before its model. */
const hostRuntime = 3 * GiB;

/**
 * Of a device that a process cannot use: the CUDA context with its kernels and, with several ranks, NCCL's buffers
 * (stas00/ml-engineering, training/performance).
 */
const context = 0.55 * GiB;
const communicators = 1.5 * GiB;

/** `parts` are those of the rank that needs most, so that they add up to `peak`. */
export function memoryOf(setting: Setting, choice: Choice): MemoryPlan {
  if (onCpu(setting)) return cpuMemoryOf(setting, choice);
  const { cluster, model } = setting;
  const { shape, constants, describe } = groundOf(setting);
  const { engine, host } = describe(choice);
  const ranks = ranksOf(shape, layoutOf(setting, choice), batchOf(setting, choice), engine, constants);
  const fullest = ranks.reduce((most, one) => (one.peak > most.peak ? one : most));
  const parts = partsOf(fullest, constants.slack);
  const peak = Object.values(parts).reduce((sum, part) => sum + part, 0);
  const { memory } = cluster.device;
  const taken = context + (worldOf(cluster) > 1 ? communicators : 0);
  return {
    capacity: memory,
    usable: Math.floor(Math.min(constants.usable * memory, memory - taken)),
    peak,
    host_peak: Math.round(hostRuntime + (host * model.parameters.total) / worldOf(cluster)),
    checkpoint: checkpointBytes(setting),
    parts,
    ranks: ranks.map((rank) => ({
      pipeline_stage: rank.stage,
      peak: rank === fullest ? peak : Math.round(rank.peak),
    })),
    error: Math.sinh(constants.memory_interval),
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
  const sum = Object.values(held).reduce((total, part) => total + part, 0);
  return { ...held, runtime: Math.max(0, Math.round(peak - sum)) };
}
