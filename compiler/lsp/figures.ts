import type { Compilation } from "../compile.ts";
import { count } from "../passes/size/count.ts";

export const gigabytes = (value: number): string => `${Number((value / 1e9).toPrecision(3))} GB`;

/** Hours of as many devices as work, by what they are. */
export const deviceHours = (value: number, { pipeline }: Compilation, unit: "h" | "hours"): string =>
  `${value >= 1e6 ? count(Number(value.toPrecision(3))) : Number(value.toPrecision(3)).toLocaleString("en")} ${pipeline.launch.cluster.device.kind === "gpu" ? "GPU" : "device"}-${unit}`;

export const hours = (value: number): string =>
  value >= 48
    ? `${Number((value / 24).toPrecision(3))} days`
    : value >= 1
      ? `${Number(value.toPrecision(3))} h`
      : value * 60 >= 1
        ? `${Number((value * 60).toPrecision(3))} min`
        : `${Number((value * 3600).toPrecision(3))} s`;
