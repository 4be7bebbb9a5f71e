import type { Period, ScheduleSpec } from "../pipeline.ts";

/** Whole steps of warm-up and cool-down in a run. */
export function scheduleSteps(
  schedule: ScheduleSpec,
  steps: number,
  tokensPerStep: number,
): { warmup: number; cooldown: number } {
  const count = ({ unit, value }: ScheduleSpec["warmup"]): number => {
    switch (unit) {
      case "steps":
        return Math.round(value);
      case "tokens":
        return Math.round(value / tokensPerStep);
      case "fraction":
        return Math.round(value * steps);
    }
  };
  return { warmup: count(schedule.warmup), cooldown: schedule.name === "wsd" ? count(schedule.cooldown) : 0 };
}

/** A period as steps, at least one; seconds are turned by the estimated time of a step. */
export function periodSteps({ unit, value }: Period, tokensPerStep: number, stepSeconds: number): number {
  const steps = unit === "steps" ? value : unit === "tokens" ? value / tokensPerStep : value / stepSeconds;
  return Math.max(1, Math.round(steps));
}
