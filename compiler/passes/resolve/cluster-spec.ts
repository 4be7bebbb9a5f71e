/** A `cluster` block as passes read it. */
import { baseOf } from "../../../dsl/eval/blocks/inherited.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { devices } from "../../hardware/index.ts";
import type { ClusterSpec, Device } from "../../pipeline.ts";
import { openNodes } from "./open-nodes.ts";
import { blockAt, group, numberAt, textAt, valued } from "./read.ts";

export function clusterSpec(block: Instance): ClusterSpec {
  const node = group(block, "node");
  const gpu = blockAt(block, "gpu");
  return {
    name: textAt(block, "name") ?? block.name ?? "cluster",
    span: block.span,
    device: gpu === null ? cpuDevice() : deviceOf(gpu),
    nodes: numberAt(block, "nodes") ?? 1,
    gpusPerNode: (node === null ? null : numberAt(node, "gpus")) ?? 1,
    ram: node === null ? null : numberAt(node, "ram"),
    cores: node === null ? null : numberAt(node, "cpu"),
    ...((disk) => (disk === null ? {} : { disk }))(node === null ? null : numberAt(node, "disk")),
    link: joining(block, "link") ?? 32e9,
    network: joining(block, "network") ?? 1.25e9,
    price: hourly(block, "price"),
    ...calibrationOf(block),
    origins: {
      memory: gpu === null ? valued(block, "gpu").origin : valued(gpu, "memory").origin,
      nodes: valued(block, "nodes").origin,
      gpus: node === null ? valued(block, "node").origin : valued(node, "gpus").origin,
      ram: node === null ? null : valued(node, "ram").origin,
    },
    ...openNodes(block),
  };
}

/** Dollars of a device and hour. */
export function hourly(block: Instance, name: "price" | "spot_price"): number | null {
  const price = numberAt(block, name);
  return price === null ? null : price * 3600;
}

/** What holds without a value that was refused, or `null`: a default in its place would make a plan of other machines. */
export function joining(block: Instance, name: "link" | "network"): number | null {
  const figure = numberAt(block, name);
  const base = figure === null ? baseOf(block) : null;
  return base === null ? figure : joining(base, name);
}

const measured = [
  "fp32",
  "bf16",
  "attention",
  "kernels",
  "optimizer",
  "layer",
  "fork",
  "step",
  "link",
  "latency",
  "resident",
  "heap",
  "time_error",
  "memory_error",
] as const;

function calibrationOf(cluster: Instance): Pick<ClusterSpec, "calibration"> {
  const block = group(cluster, "calibration");
  if (block === null) return {};
  const known = measured.map((name) => [name, numberAt(block, name)] as const).filter(([, value]) => value !== null);
  return { calibration: Object.fromEntries(known) };
}

function deviceOf(gpu: Instance): Device {
  const fp8 = numberAt(gpu, "fp8");
  const fp4 = numberAt(gpu, "fp4");
  const power = numberAt(gpu, "power");
  return {
    name: gpu.symbol?.name.text ?? gpu.name ?? "gpu",
    kind: textAt(gpu, "kind") === "processor" ? "cpu" : "gpu",
    memory: numberAt(gpu, "memory") ?? 0,
    flops: {
      fp32: numberAt(gpu, "fp32") ?? 0,
      bf16: numberAt(gpu, "bf16") ?? 0,
      fp16: numberAt(gpu, "fp16") ?? 0,
      ...(fp8 === null ? {} : { fp8 }),
      ...(fp4 === null ? {} : { fp4 }),
    },
    bandwidth: numberAt(gpu, "bandwidth") ?? 0,
    ...(power === null ? {} : { power }),
  };
}

/** A machine that nobody described: its processor, shared by so many processes. */
export function thisMachine(span: ClusterSpec["span"], processes: number): ClusterSpec {
  return {
    name: "this machine",
    span,
    device: cpuDevice(),
    nodes: 1,
    gpusPerNode: processes,
    ram: null,
    cores: null,
    link: 5e9,
    network: 1.25e9,
    price: null,
  };
}

function cpuDevice(): Device {
  const device = devices.get("cpu");
  if (device === undefined) throw new Error("the table of devices has no cpu");
  return device;
}
