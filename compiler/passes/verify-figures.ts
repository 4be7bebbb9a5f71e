/** Figures of devices and networks that are far from all that are known: what was mistaken there is a unit, as a rule. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../dsl/diagnostics/suggest.ts";
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import type { Program } from "../../dsl/eval/program.ts";
import { showNumber } from "../../dsl/types/value.ts";
import { figureUnlikely } from "../diagnostics/pipeline.ts";
import { gpus } from "../hardware/gpus.ts";
import { links } from "../hardware/links.ts";
import { blockAt, textAt, valued } from "./resolve/read.ts";

/** A figure is told where it is so many times beyond what is known: machines of the next years are within that. */
const far = 8;

/** Ports of a node: a DGX has eight. */
const ports = 8;

interface Known {
  readonly least: number;
  readonly most: number;
  /** Units that such figures are written in, with what each stands for. */
  readonly units: Readonly<Record<string, number>>;
}

const memory = { MB: 1e6, GB: 1e9, TB: 1e12 };
const rates = { "MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12 };
const networkRates = { ...rates, Gbps: 1.25e8, Tbps: 1.25e11 };
const flops = { GFLOPS: 1e9, TFLOPS: 1e12, PFLOPS: 1e15 };

function known(figures: readonly (number | undefined)[], units: Known["units"]): Known {
  const positive = figures.filter((figure) => figure !== undefined && figure > 0) as readonly number[];
  return { least: Math.min(...positive), most: Math.max(...positive), units };
}

const between = links.map(({ bandwidth }) => bandwidth);
const ofGpus: Readonly<Record<string, Known>> = {
  memory: known(
    gpus.map((gpu) => gpu.memory),
    memory,
  ),
  bandwidth: known(
    gpus.map((gpu) => gpu.bandwidth),
    rates,
  ),
  ...Object.fromEntries(
    (["fp32", "bf16", "fp16", "fp8", "fp4"] as const).map((format) => [
      format,
      known(
        gpus.map((gpu) => gpu.flops[format]),
        flops,
      ),
    ]),
  ),
};
const ofClusters: Readonly<Record<string, Known>> = {
  link: known(between, rates),
  network: known([...between, ports * Math.max(...between)], networkRates),
};

export function verifyFigures(program: Program): readonly Diagnostic[] {
  return program.blocks.flatMap((block) => {
    if (block.abstract) return [];
    if (block.kind.name === "gpu") return isProcessor(block) ? [] : unlikely(block, ofGpus);
    return block.kind.name === "cluster" && !isProcessor(blockAt(block, "gpu")) ? unlikely(block, ofClusters) : [];
  });
}

/** Processors and what joins their processes are as slow as they are. */
const isProcessor = (device: Instance | null): boolean => device !== null && textAt(device, "kind") === "processor";

function unlikely(block: Instance, figures: Readonly<Record<string, Known>>): readonly Diagnostic[] {
  return Object.entries(figures).flatMap(([name, { least, most, units }]) => {
    const { value, span, origin } = valued(block, name);
    if (value.kind !== "number" || value.value === 0 || origin.kind === "default") return [];
    if (value.value >= least / far && value.value <= most * far) return [];
    const written = span.source.text.slice(span.start, span.end);
    const count = /^[\d._]+/.exec(written)?.[0];
    const meant = Object.entries(units)
      .filter(([, factor]) => isBetween(Number(count?.replaceAll("_", "")) * factor, least, most))
      .map(([unit]) => `${count} ${unit}`);
    const slots = {
      name,
      found: showNumber(value),
      least: showNumber({ ...value, value: least }),
      most: showNumber({ ...value, value: most }),
    };
    return [figureUnlikely(span, slots, { valid: meant, fixes: meant.map((text) => replacement(span, text)) })];
  });
}

const isBetween = (value: number, least: number, most: number): boolean => value >= least && value <= most;
