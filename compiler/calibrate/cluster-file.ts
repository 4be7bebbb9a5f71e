/** A cluster with what was measured of it, as a file that others import. */
import { format } from "../../dsl/format/format.ts";
import type { Calibration } from "../calibration.ts";
import { devices } from "../hardware/index.ts";
import type { ClusterSpec, Device } from "../pipeline.ts";

export interface Provenance {
  /** `2026-11-21`. */
  readonly day: string;
  /** How many runs it was learned from. */
  readonly runs: number;
  /** The command that a comment names. */
  readonly by: string;
}

export function clusterFile(cluster: ClusterSpec, calibration: Calibration, { day, runs, by }: Provenance): string {
  const { device, nodes, gpusPerNode, ram, cores, link, network, price } = cluster;
  const known = devices.has(device.name);
  const text = [
    `/// Measured by \`${by}\` on ${day}.`,
    ...(known ? [`import "std/gpus" { ${device.name} }`] : [deviceBlock(device)]),
    `cluster ${nameOf(cluster)} {`,
    `gpu = ${device.name}`,
    ...(nodes === 1 ? [] : [`nodes = ${nodes}`]),
    `link = ${rate(link)}`,
    `network = ${rate(network)}`,
    ...(price === null ? [] : [`price = ${digits(price)} usd/gpu/h`]),
    "node {",
    `gpus = ${gpusPerNode}`,
    ...(cores === null ? [] : [`cpu = ${cores} cores`]),
    ...(ram === null ? [] : [`ram = ${memory(ram)}`]),
    "}",
    "calibration {",
    `measured = "${day}"`,
    `runs = ${runs}`,
    ...figuresOf(cluster, calibration).map(([name, text]) => `${name} = ${text}`),
    "}",
    "}",
    "",
  ].join("\n");
  return format({ path: `${nameOf(cluster)}.cdr`, text }).text;
}

/** The name of a cluster as a declaration has it. */
export function nameOf({ name }: Pick<ClusterSpec, "name">): string {
  const word = name.replaceAll(/[^A-Za-z0-9_]+/g, "_").replaceAll(/^_+|_+$/g, "");
  return /^[A-Za-z_]/.test(word) ? word : `cluster_${word}`;
}

/** Each figure in the unit that people say it in; of a GPU's memory the allocator tells nothing that is worth a figure. */
export function figuresOf(
  { device }: Pick<ClusterSpec, "device">,
  calibration: Calibration,
): readonly (readonly [name: keyof Calibration, text: string])[] {
  const { fp32, bf16, attention, kernels, optimizer, layer, fork, step, link, latency, resident, heap } = calibration;
  const { time_error, memory_error } = calibration;
  return [
    ["fp32", flops(fp32)],
    ["bf16", flops(bf16)],
    ["attention", flops(attention)],
    ["kernels", rate(kernels)],
    ["optimizer", `${digits(optimizer / 1e6)}M params/s`],
    ["layer", time(layer)],
    ...(device.kind === "cpu" ? [["fork", time(fork)] as const] : []),
    ["step", time(step)],
    ["link", rate(link)],
    ["latency", time(latency)],
    ...(device.kind === "cpu"
      ? ([
          ["resident", memory(resident)],
          ["heap", percent(heap)],
        ] as const)
      : []),
    ...(time_error === null ? [] : [["time_error", percent(time_error)] as const]),
    ...(memory_error === null ? [] : [["memory_error", percent(memory_error)] as const]),
  ];
}

function deviceBlock({ name, kind, memory: held, flops: peaks, bandwidth }: Device): string {
  const rows = [
    ...(kind === "cpu" ? ["kind = processor"] : []),
    `memory = ${memory(held)}`,
    ...Object.entries(peaks).map(([precision, peak]) => `${precision} = ${flops(peak)}`),
    `bandwidth = ${rate(bandwidth)}`,
  ];
  return `gpu ${name} {\n${rows.join("\n")}\n}`;
}

const digits = (value: number): string => String(Number(value.toPrecision(4)));
const percent = (share: number): string => `${Number((100 * share).toFixed(1))}%`;
const flops = (value: number): string =>
  value >= 1e12 ? `${digits(value / 1e12)} TFLOPS` : `${digits(value / 1e9)} GFLOPS`;
const rate = (value: number): string =>
  value >= 1e9 ? `${digits(value / 1e9)} GB/s` : `${digits(value / 1e6)} MB/s`;
const memory = (value: number): string =>
  value >= 4 * 2 ** 30 ? `${digits(value / 2 ** 30)} GiB` : `${digits(value / 2 ** 20)} MiB`;
const time = (seconds: number): string =>
  seconds >= 1e-3 ? `${digits(seconds * 1e3)} ms` : `${digits(seconds * 1e6)} us`;
