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

export function evaluate(setting: Setting, choice: Choice, memory = memoryOf(setting, choice)): Evaluated {
  const fits = holdsIn(setting, memory);
  const time = timeOf(setting, choice);
  return { setting, choice, memory, time, fits, objective: time.step + riskAt(setting, choice) };
}

/** Do the device and its host hold it for certain? */
export const holdsIn = (setting: Setting, memory: MemoryPlan): boolean =>
  fitOf(memory) === "yes" && hostFits(setting, memory);

/** Do they by the estimate, be it less than its error? */
export const likelyIn = (setting: Setting, memory: MemoryPlan): boolean =>
  memory.peak <= memory.usable && hostFits(setting, memory);

function riskAt(setting: Setting, choice: Choice): number {
  if (onCpu(setting)) return 0;
  const { shape, machine, constants } = groundOf(setting);
  const layout = layoutOf(setting, choice);
  return riskOf(shape.blocks.length, layout, choice.accumulation, machine, constants, constants.time_interval);
}

/** Bytes that an estimate may name and fit all the same, as often as its interval says. */
export function roomOf({ usable, error }: Pick<MemoryPlan, "usable" | "error">): number {
  return usable / upper(error);
}

/**
 * Does a plan fit a rank for certain, by its estimate and the error of it, or for certain not? Weights, gradients and the optimizer's state
 * are counted, so that the error is of the rest alone.
 */
export function fitOf(memory: Pick<MemoryPlan, "peak" | "usable" | "error" | "parts">): "yes" | "perhaps" | "no" {
  const { peak, usable, error, parts } = memory;
  if (peak <= roomOf(memory)) return "yes";
  const counted = parts.weights + parts.gradients + parts.optimizer;
  return counted + (peak - counted) / upper(error) <= usable ? "perhaps" : "no";
}

/** What a CPU machine has is counted as its devices' memory. */
export function hostFits({ cluster }: Setting, { host_peak }: MemoryPlan): boolean {
  return cluster.device.kind === "cpu" || host_peak <= hostRoom(cluster);
}
