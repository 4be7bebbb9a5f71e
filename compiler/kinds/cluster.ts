import type { BlockKind } from "../../dsl/kind.ts";
import { block, enumeration, integer, quantity, string, union } from "../../dsl/types/type.ts";
import { counted } from "../../dsl/types/value.ts";
import { numberAt } from "../passes/resolve/read.ts";
import { calibration } from "./calibration.ts";

/** Beyond these a figure has a wrong unit: some thousand times what the largest machines have. */
const most = { bytes: 1e16, device: 1e14, rate: 1e16, compute: 1e20, power: 1e5, nodes: 1e6 };

const bytes = quantity([{ byte: 1 }], { min: 1, max: most.bytes });
/** A megabyte is no device to train on. */
const deviceBytes = quantity([{ byte: 1 }], { min: 1e6, max: most.device });
const rate = quantity([{ byte: 1, second: -1 }], { min: 1, max: most.rate });
const networkRate = quantity([{ byte: 1, second: -1 }], { min: 1, max: most.rate, usual: "Gbps" });
/** 0 says that the device has no units for it, which fp32 always has. */
const compute = quantity([{ flop: 1, second: -1 }], { min: 0, max: most.compute });
const plainCompute = quantity([{ flop: 1, second: -1 }], { min: 1e9, max: most.compute });
const price = quantity([{ usd: 1, gpu: -1, second: -1 }], { min: 0 });

/** Without figures: those of another device would make a plan of something else. */
const ownGpu = (name: string): string =>
  `gpu ${name} { memory = … GB, bandwidth = … TB/s, fp32 = … TFLOPS, bf16 = … TFLOPS, fp16 = … TFLOPS }`;

const ownCluster = (name: string): string =>
  `cluster ${name} { gpu = …, node { gpus = 8 }, link = … GB/s, network = … Gbps }`;

export const gpu: BlockKind = {
  name: "gpu",
  also: ["device", "accelerator", "card"],
  doc: "A kind of device: the vendor's dense peaks",
  own: { declare: ownGpu, figures: "the figures of its data sheet" },
  properties: {
    kind: {
      type: enumeration("kind of device", ["gpu", "processor"]),
      doc: "whether it is a GPU or a processor core",
      default: "gpu",
    },
    memory: { type: deviceBytes, doc: "device memory, as in its data sheet: `80 GB`", required: true },
    fp32: { type: plainCompute, doc: "dense peak in fp32: `67 TFLOPS`", required: true },
    bf16: { type: compute, doc: "dense peak in bf16: `989 TFLOPS`", required: true },
    fp16: { type: compute, doc: "dense peak in fp16: `989 TFLOPS`", required: true },
    fp8: { type: compute, doc: "peak in fp8" },
    fp4: { type: compute, doc: "peak in fp4" },
    bandwidth: { type: rate, doc: "memory bandwidth: `3.35 TB/s`", required: true },
    power: {
      type: quantity([{ watt: 1 }], { min: 1, max: most.power }),
      doc: "rated power, as in its data sheet: `700 W`; the energy of a run follows from it",
    },
    backend: {
      type: enumeration("backend", ["cuda", "rocm", "tenstorrent"]),
      doc: "PyTorch's name for the device type, if it is not CUDA or compatible",
      runs: false,
    },
  },
};

const node: BlockKind = {
  name: "node",
  doc: "One machine of a cluster",
  properties: {
    gpus: {
      type: union(integer({ min: 1 }), quantity([{ gpu: 1 }], { integer: true, min: 1 })),
      doc: "devices; on a CPU machine, processes",
      default: "1",
    },
    ram: { type: bytes, doc: "host memory", bounded: true, promised: true },
    cpu: {
      type: union(integer({ min: 1 }), quantity([{ core: 1 }], { integer: true, min: 1 })),
      doc: "cores",
      bounded: true,
      promised: true,
    },
    disk: { type: bytes, doc: "its own disk", bounded: true, promised: true },
    time_slices: {
      type: integer({ min: 1 }),
      doc: "number of users that take turns on a device",
      default: "1",
      runs: false,
    },
  },
  foreign: {
    memory: { instead: "write `ram`", rewrite: (v) => `ram = ${v}` },
    cpus: { instead: "write `cpu = n cores`", rewrite: (v) => `cpu = ${v} cores` },
  },
};

/** What belongs to each of the machines. */
const ofNode = (written: string, name: string, unit = ""): BlockKind["foreign"] & {} => ({
  [written]: {
    instead: `it belongs to each machine: \`node { ${name} = … }\``,
    rewrite: (v) => `node { ${name} = ${v}${unit} }`,
  },
});

export const cluster: BlockKind = {
  name: "cluster",
  also: ["hardware", "machine", "machines", "resources", "infrastructure", "fleet"],
  doc: "Machines: their devices, their network, their price",
  own: { declare: ownCluster, figures: "the figures of its machines" },
  begins: ["nodes"],
  properties: {
    gpu: { type: block("gpu"), doc: "the device", required: true },
    nodes: {
      type: union(
        integer({ min: 1, max: most.nodes }),
        quantity([{ node: 1 }], { integer: true, min: 1, max: most.nodes }),
      ),
      doc: "machines",
      default: "1",
      bounded: true,
      promised: true,
    },
    link: { type: rate, doc: "between the devices of a node, one direction", default: "32 GB/s" },
    network: {
      type: networkRate,
      doc: "between nodes, per node, one direction",
      default: "10 Gbps",
      bounded: true,
      promised: true,
    },
    price: { type: price, doc: "price of a device: `2.10 usd/gpu/h`" },
    spot_price: { type: price, doc: "price of a device that may be reclaimed" },
    prefer: {
      type: enumeration("preference", ["cheapest", "fastest", "fewest"]),
      doc: "goal for the number of nodes if `nodes` leaves it open: the fewest device-hours, the least time, the fewest nodes",
      default: "cheapest",
    },
    name: { type: string, doc: "a display name" },
  },
  blocks: { node, calibration },
  foreign: {
    ...ofNode("gpus", "gpus"),
    ...ofNode("gpus_per_node", "gpus"),
    ...ofNode("gpu_count", "gpus"),
    ...ofNode("devices", "gpus"),
    ...ofNode("ram", "ram"),
    ...ofNode("memory", "ram"),
    ...ofNode("disk", "disk"),
    ...ofNode("cpu", "cpu"),
    ...ofNode("cpus", "cpu", " cores"),
    ...ofNode("cores", "cpu", " cores"),
    ...Object.fromEntries(
      ["type", "gpu_type", "accelerator", "device_type"].map((name) => [
        name,
        { instead: "write `gpu = h100_sxm`", rewrite: (v: string) => `gpu = ${v.replaceAll('"', "")}` },
      ]),
    ),
    num_nodes: { instead: "write `nodes = n`", rewrite: (v) => `nodes = ${v}` },
    bandwidth: { instead: "write `network = 400 Gbps` between nodes, `link = 450 GB/s` between the devices of one" },
  },
  derived: {
    gpus: {
      doc: "total devices; if `nodes` leaves the number open, at its lower bound",
      from: ["nodes", "node.gpus"],
      compute: (instance) => {
        const node = instance.blocks.get("node");
        return counted((numberAt(instance, "nodes") ?? 1) * (node === undefined ? 1 : (numberAt(node, "gpus") ?? 1)));
      },
    },
  },
};
