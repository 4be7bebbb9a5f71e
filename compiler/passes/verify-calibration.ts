/** Figures of a calibration that no device of its kind reaches. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Program } from "../../dsl/eval/program.ts";
import { calibrationBeyond } from "../diagnostics/pipeline.ts";
import { blockAt, group, numberAt, textAt, valued } from "./resolve/read.ts";

/** Clocks may run above those of a data sheet by so much; the best products measured reach 0.87 of a sheet's peak. */
const margin = 1.1;

/** What may be measured under a name, and the figure of the data sheet that bounds it; TF32 takes the place of fp32. */
const bounds = { bf16: ["bf16"], fp32: ["fp32", "bf16"], attention: ["fp16", "bf16"] } as const;

export function verifyCalibrations(program: Program): readonly Diagnostic[] {
  return program.blocks.flatMap((cluster) => {
    if (cluster.kind.name !== "cluster" || cluster.abstract) return [];
    const calibration = group(cluster, "calibration");
    const gpu = blockAt(cluster, "gpu");
    // Peaks of processors are those of a usual core, and machines differ.
    if (calibration === null || gpu === null || textAt(gpu, "kind") === "processor") return [];
    return Object.entries(bounds).flatMap(([name, of]) => {
      const measured = numberAt(calibration, name);
      const peak = Math.max(...of.map((format) => numberAt(gpu, format) ?? 0));
      if (measured === null || peak === 0 || measured <= margin * peak) return [];
      const slots = { name, measured: tera(measured), peak: tera(peak), gpu: gpu.symbol?.name.text ?? "the device" };
      return [calibrationBeyond(valued(calibration, name).span, slots)];
    });
  });
}

const tera = (flops: number): string => `${Number((flops / 1e12).toPrecision(4))} TFLOPS`;
