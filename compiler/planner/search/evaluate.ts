import type { MemoryPlan, TimePlan } from "../../plan.ts";
import { memoryOf } from "../memory.ts";
import { groundOf } from "../adapter/ground.ts";
import { layoutOf } from "../adapter/spread.ts";
import { hostRoom } from "../host.ts";
import { onCpu, type Choice, type Setting } from "../setting.ts";
import { timeOf } from "../time.ts";
import { upper } from "../upper.ts";
import { riskOf } from "./objective.ts";

export interface Evaluated {
  readonly setting: Setting;
  readonly choice: Choice;
  readonly memory: MemoryPlan;
  readonly time: TimePlan;
  readonly fits: boolean;
  /** What it is chosen by, in seconds. */
  readonly objective: number;
}

export function evaluate(setting: Setting, choice: Choice): Evaluated {
  const memory = memoryOf(setting, choice);
  const fits = memory.peak <= roomOf(memory) && hostFits(setting, memory);
  const time = timeOf(setting, choice);
  return { setting, choice, memory, time, fits, objective: time.step + riskAt(setting, choice) };
}

function riskAt(setting: Setting, choice: Choice): number {
  if (onCpu(setting)) return 0;
  const { shape, machine, constants } = groundOf(setting);
  const layout = layoutOf(setting, choice);
  return riskOf(shape.blocks.length, layout, choice.accumulation, machine, constants, constants.time_interval);
}

/** Bytes that an estimate may name and fit all the same, as often as its interval says. */
export function roomOf({ usable, error }: MemoryPlan): number {
  return usable / upper(error);
}

/** What a CPU machine has is counted as its devices' memory. */
export function hostFits({ cluster }: Setting, { host_peak }: MemoryPlan): boolean {
  const { device, gpusPerNode } = cluster;
  return device.kind === "cpu" || host_peak * gpusPerNode <= hostRoom(cluster);
}
