/** What DeepSpeed leaves of an offloaded shard in host memory where the rest lies on disks, and what passes them. */
import type { Family } from "../models/family.ts";
import { tensorsOf } from "../models/measure.ts";
import type { SizedModel } from "../plan.ts";
import type { Choice, Setting } from "./setting.ts";

/** Elements of a rank's shard that are stepped at once, and those of its weights that stay in memory (zero/config.py, zero/offload_config.py). */
const subGroup = 1e9;
const inMemory = 1e9;

/** Pinned buffers of that many elements in 32 bits; and of the weights, of 100 million elements each (zero/offload_config.py: buffer_count). */
const buffers = { optimizer: 4, weights: 5, elements: 1e8 };

/**
 * Elements of a buffer for weights: a rank's part of the largest tensor goes into one, and where it does not fit the engine stops
 * (swap_tensor/partitioned_param_swapper.py: AsyncPartitionedParameterSwapper.get_buffer).
 */
export function swapBuffer(family: Family, model: SizedModel, world: number): number {
  const largest = Math.max(...tensorsOf(family, model).map(({ elements }) => elements));
  return Math.max(buffers.elements, Math.ceil(largest / world));
}

/** Of a parameter: its master, its moments and its gradient in 32 bits are written and read. */
const held = (moments: number): number => 4 + moments + 4;
const passed = (moments: number): number => 2 * held(moments);

/**
 * Bytes/s of a device's share of the disks: four drives of a node with four A100s read 10 GB/s into host memory and write 5 (DeepSpeed,
 * blogs/deepnvme/08-2024, figure 1), and as much is read as written.
 */
export const diskBandwidth = 2 / (1 / 10e9 + 1 / 5e9) / 4;

export interface OnDisk {
  /** Bytes of a rank that stay in host memory, and on the disk. */
  readonly host: number;
  readonly disk: number;
  /** Bytes to and from the disk in a step. */
  readonly passed: number;
}

/**
 * Of a shard of so many parameters. Sub-groups are swapped in, stepped and swapped out one after another, through buffers that hold the
 * largest (swap_tensor/optimizer_utils.py: SwapBufferManager; partitioned_optimizer_swapper.py); gradients of all micro-batches are summed
 * in host memory first (zero/stage3.py: grad_partitions_flat_buffer). Weights beyond `max_in_cpu` are read for each pass
 * (swap_tensor/partitioned_param_swapper.py). `moments`: bytes that the optimizer keeps of a parameter; `frozen`: bytes of weights that have no
 * states.
 */
export function onDisk(
  { precision }: Pick<Setting, "precision">,
  shard: number,
  moments: number,
  choice: Pick<Choice, "offload"> & Partial<Choice>,
  frozen = 0,
  buffer = buffers.elements,
): OnDisk {
  const width = precision === "fp32" ? 4 : 2;
  const host = 4 * buffers.optimizer * Math.min(subGroup, shard) + width * shard;
  if (choice.offload !== "all") return { host, disk: held(moments) * shard, passed: passed(moments) * shard };
  const weights = shard + frozen / width;
  const away = Math.max(0, weights - inMemory);
  return {
    host: host + width * (buffers.weights * buffer + weights - away),
    disk: held(moments) * shard + width * away,
    passed: passed(moments) * shard + width * away * (2 * (choice.accumulation ?? 1) + 1),
  };
}

/** Are states of a rank on a disk? */
export function isOnDisk({ nvme }: Setting, { offload }: Pick<Choice, "offload">): boolean {
  return nvme === true && (offload === "optimizer" || offload === "all");
}
