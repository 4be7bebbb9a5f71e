/** How long a checkpoint is written, and for how long training waits for it. */
import { splitsModel } from "../../engines/engine.ts";
import { checkpointBytes } from "../checkpoint.ts";
import { worldOf, type Choice, type Setting } from "../setting.ts";

/** Bytes/s that a node writes and reads: 2 TB/s sustained for 2,048 nodes (Llama 3, arXiv 2407.21783, section 3.3.1: storage). */
export const storage = 1e9;

/** Bytes/s of a device's link to its host, from pinned memory: PCIe 4 x16. */
const hostLink = 20e9;

/** What every rank holds alike is written by the first; shards are written by all nodes at once. */
export function transferSeconds(setting: Setting, { zero_stage }: Choice): number {
  const writers = zero_stage >= 1 || splitsModel(setting.engine) ? setting.cluster.nodes : 1;
  return checkpointBytes(setting) / (writers * storage);
}

/** Training waits until a checkpoint is written, unless the engine was told to write beside it: then for the copy to the host. */
export function pauseSeconds(setting: Setting, choice: Choice): number {
  const raw = setting.raw ?? {};
  const isBeside = (raw["async_save"] ?? raw["async-save"]) === true;
  if (!isBeside) return transferSeconds(setting, choice);
  return checkpointBytes(setting) / worldOf(setting.cluster) / hostLink;
}
