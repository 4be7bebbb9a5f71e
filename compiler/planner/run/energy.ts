/** Energy of a run at most: its devices at their rated power, and the machine around them. */
import { devices } from "../../hardware/index.ts";
import type { ClusterSpec } from "../../pipeline.ts";
import { worldOf } from "../setting.ts";

/** A node's power over that of its GPUs: 10.2 kW with eight of 700 W (NVIDIA DGX H100 datasheet). */
const host = 10.2 / 5.6;

/** In kWh, without what the building takes; `null` where the device's power is not known. */
export function energyOf(hours: number, cluster: ClusterSpec): number | null {
  const watts = cluster.device.power ?? devices.get(cluster.device.name)?.power;
  return watts === undefined ? null : (hours * worldOf(cluster) * watts * host) / 1000;
}
