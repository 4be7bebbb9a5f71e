/** The runs that a calibration learns from: small models of unlike shape, as a file. */
import type { ClusterSpec } from "../pipeline.ts";
import type { probed } from "../planner/cpu/errors.ts";

interface Probe {
  readonly family: (typeof probed)[number];
  readonly layers: number;
  readonly width: number;
  readonly head: number;
  readonly vocab: number;
  readonly sequence: number;
  readonly micro: number;
  readonly accumulation?: number;
  readonly recompute?: true;
  /** Of DeepSpeed; absent: plain data parallelism. */
  readonly zero?: number;
}

/** Deep and narrow, shallow and wide, a large vocabulary, long sequences: what one has much of, another has little of. */
const onCpu = {
  alone: [
    { family: "gpt2", layers: 4, width: 256, head: 64, vocab: 512, sequence: 256, micro: 8 },
    { family: "gpt2", layers: 10, width: 192, head: 64, vocab: 512, sequence: 128, micro: 6 },
    { family: "llama", layers: 14, width: 128, head: 32, vocab: 512, sequence: 128, micro: 4 },
    { family: "llama", layers: 3, width: 512, head: 64, vocab: 8192, sequence: 512, micro: 2, accumulation: 2 },
  ],
  together: [
    { family: "llama", layers: 6, width: 320, head: 64, vocab: 2048, sequence: 256, micro: 4, recompute: true },
    { family: "gpt2", layers: 5, width: 384, head: 64, vocab: 1024, sequence: 512, micro: 2, zero: 2 },
    { family: "gpt2", layers: 12, width: 128, head: 32, vocab: 512, sequence: 128, micro: 2 },
  ],
} as const satisfies Probes;

const onGpu = {
  alone: [
    { family: "gpt2", layers: 12, width: 768, head: 64, vocab: 50_304, sequence: 1024, micro: 8 },
    { family: "llama", layers: 24, width: 1024, head: 64, vocab: 32_000, sequence: 2048, micro: 4 },
    { family: "llama", layers: 8, width: 2048, head: 128, vocab: 32_000, sequence: 4096, micro: 2, accumulation: 2 },
  ],
  together: [
    { family: "llama", layers: 12, width: 1536, head: 128, vocab: 32_000, sequence: 2048, micro: 4, recompute: true },
    { family: "gpt2", layers: 16, width: 1024, head: 64, vocab: 50_304, sequence: 1024, micro: 8, zero: 2 },
  ],
} as const satisfies Probes;

interface Probes {
  /** Of one rank, and of all that the launch has. */
  readonly alone: readonly Probe[];
  readonly together: readonly Probe[];
}

/** Enough that the first two, which warm up, are not most of them. */
const steps = 8;

export function probeSource({ device, nodes, gpusPerNode }: ClusterSpec): string {
  const world = nodes * gpusPerNode;
  const { alone, together } = device.kind === "cpu" ? onCpu : onGpu;
  const probes: readonly Probe[] = world === 1 ? alone : together;
  const sequences = [...new Set(probes.map(({ sequence }) => sequence))];
  const data = sequences.map(
    (sequence) =>
      `data calibrate_text_${sequence} { from = python_stdlib(part = docs), tokenizer = bytes, limit = 60 files, split { val = 10% } }`,
  );
  return `${["edition = 2026", ...data, ...probes.map((probe, index) => stageOf(probe, index, world))].join("\n")}\n`;
}

function stageOf(probe: Probe, index: number, world: number): string {
  const { family, layers, width, head, vocab, sequence, micro, accumulation = 1, recompute, zero } = probe;
  const name = `calibrate_${world === 1 ? "alone" : "together"}_${index + 1}`;
  return `
model ${name}_model {
  family = ${family}, layers = ${layers}, d_model = ${width}, heads = ${width / head}
  context = ${sequence} tokens, vocab = ${vocab}
}
stage ${name} {
  model = ${name}_model, data = calibrate_text_${sequence}
  engine = ${zero === undefined ? "torch" : "deepspeed"}
  length = ${steps} steps, batch = ${micro * accumulation * world} samples
  optimizer = adamw(lr = 1e-4)
  log { every = 1 steps }
  layout {
    micro_batch = ${micro} samples, recompute = ${recompute === true ? "full" : "none"}
    ${zero === undefined ? "" : `zero_stage = ${zero}`}
  }
}`;
}
