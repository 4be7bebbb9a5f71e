/** Machines by the names that published measurements use; figures from their vendors' data sheets, dense. */
import type { Machine } from "../machine.ts";

const T = 1e12;
const GB = 1e9;

interface Figures {
  readonly gpu: string;
  readonly memory: number;
  readonly bandwidth: number;
  readonly bf16: number;
  readonly fp8?: number;
  readonly fp4?: number;
  readonly fp32: number;
  readonly processors: number;
  readonly domain: number;
  readonly link: number;
  readonly network: number;
}

const machine = ({
  gpu,
  memory,
  bandwidth,
  bf16,
  fp8,
  fp4,
  fp32,
  processors,
  domain,
  link,
  network,
}: Figures): Machine => ({
  gpu,
  memory: memory * GB,
  bandwidth: bandwidth * T,
  flops: { fp32: fp32 * T, bf16: bf16 * T, fp16: bf16 * T, fp8: (fp8 ?? bf16) * T, fp4: (fp4 ?? fp8 ?? bf16) * T },
  processors,
  domain,
  link: link * GB,
  network: network * GB,
});

export const machines: readonly Machine[] = [
  machine({
    gpu: "A100",
    memory: 80,
    bandwidth: 2.04,
    bf16: 312,
    fp32: 19.5,
    processors: 108,
    domain: 8,
    link: 300,
    network: 25,
  }),
  machine({
    gpu: "H100",
    memory: 80,
    bandwidth: 3.35,
    bf16: 989,
    fp8: 1979,
    fp32: 67,
    processors: 132,
    domain: 8,
    link: 450,
    network: 50,
  }),
  machine({
    gpu: "H200",
    memory: 141,
    bandwidth: 4.8,
    bf16: 989,
    fp8: 1979,
    fp32: 67,
    processors: 132,
    domain: 8,
    link: 450,
    network: 50,
  }),
  machine({
    gpu: "B200",
    memory: 180,
    bandwidth: 7.7,
    bf16: 2250,
    fp8: 4500,
    fp4: 9000,
    fp32: 75,
    processors: 148,
    domain: 8,
    link: 900,
    network: 50,
  }),
  machine({
    gpu: "B300",
    memory: 270,
    bandwidth: 7.7,
    bf16: 2250,
    fp8: 4500,
    fp4: 13500,
    fp32: 75,
    processors: 148,
    domain: 8,
    link: 900,
    network: 100,
  }),
  machine({
    gpu: "GB200",
    memory: 186,
    bandwidth: 8,
    bf16: 2500,
    fp8: 5000,
    fp4: 10000,
    fp32: 80,
    processors: 148,
    domain: 72,
    link: 900,
    network: 50,
  }),
  machine({
    gpu: "GB300",
    memory: 278,
    bandwidth: 8,
    bf16: 2500,
    fp8: 5000,
    fp4: 15000,
    fp32: 80,
    processors: 148,
    domain: 72,
    link: 900,
    network: 100,
  }),
];

/** `A100-SXM` is `A100`; the longest name that fits wins. */
export function machineNamed(name: string): Machine | undefined {
  return machines.filter(({ gpu }) => name.startsWith(gpu)).sort((a, b) => b.gpu.length - a.gpu.length)[0];
}
