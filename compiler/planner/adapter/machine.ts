/** A cluster as the physics reads it. */
import { gpus, type KnownDevice } from "../../hardware/gpus.ts";
import type { ClusterSpec, Device } from "../../pipeline.ts";
import { machineNamed } from "../physics/constants/machines.ts";
import type { Machine } from "../physics/machine.ts";

/** Streaming multiprocessors of a card that nobody described: those of most server cards lie around it. */
const usualProcessors = 120;

/**
 * What a device has no units for is computed in fp32. `tf32`: fp32 products run in TF32, at half the rate of bf16 on every NVIDIA GPU from Ampere on
 * (their data sheets).
 */
export function machineOf(cluster: ClusterSpec, tf32: boolean): Machine {
  const { device, gpusPerNode } = cluster;
  const { flops } = device;
  const bf16 = flops.bf16 || flops.fp32;
  const fp8 = flops.fp8 ?? bf16;
  const known = cardOf(cluster);
  return {
    gpu: known !== undefined && isMeasured(known, cluster) ? known.gpu : device.name,
    memory: device.memory,
    bandwidth: device.bandwidth,
    flops: {
      fp32: tf32 ? Math.max(flops.fp32, flops.bf16 / 2) : flops.fp32,
      bf16,
      fp16: flops.fp16 || flops.fp32,
      fp8,
      fp4: flops.fp4 ?? fp8,
    },
    processors: listed(device)?.processors ?? known?.processors ?? usualProcessors,
    domain: known !== undefined && isRack(cluster) ? Math.max(gpusPerNode, known.domain) : gpusPerNode,
    link: cluster.link,
    network: cluster.network / gpusPerNode,
  };
}

/** What joins the nodes is as fast as what joins the GPUs of one, as where NVLink joins the trays of a rack. */
const isRack = ({ network, link, gpusPerNode }: ClusterSpec): boolean => network >= link * gpusPerNode;

/** The card of published measurements that this device is, by its name or else its figures, be it clocked otherwise: its shares of a data sheet hold. */
export const cardOf = ({ device }: ClusterSpec): Machine | undefined =>
  machineNamed(device.name.toUpperCase()) ?? machineNamed(listed(device)?.name.toUpperCase() ?? "");

/**
 * A device under another name is the listed one whose memory it has, as large and as fast, and whose peak lies nearest: clocks and power limits
 * change a peak by less than half.
 */
function listed(device: Device): KnownDevice | undefined {
  const named = gpus.find(({ name }) => name === device.name);
  if (named !== undefined || device.kind !== "gpu") return named;
  const apart = (a: number, b: number): number => Math.abs(Math.log(a / b));
  const peak = (one: Device): number => apart(one.flops.bf16, device.flops.bf16);
  return gpus
    .filter((one) => apart(one.memory, device.memory) < 0.02 && apart(one.bandwidth, device.bandwidth) < 0.02)
    .filter((one) => peak(one) < Math.log(1.5))
    .sort((a, b) => peak(a) - peak(b))[0];
}

/** Were its measurements of this very device? Then its peak agrees, too. */
export function isMeasured(card: Machine, { device }: ClusterSpec): boolean {
  return Math.abs(device.flops.bf16 / card.flops.bf16 - 1) < 0.02;
}
