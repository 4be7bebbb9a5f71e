/** A run's figures as they are shown. */
import type { TotalPlan } from "../../plan.ts";

/** Those without failures where they take more time than all else: how long a run takes that hardly ever ends says nothing. */
export function toldTotal(total: TotalPlan): TotalPlan {
  const { hours, parts, gpu_hours, cost, energy_kwh } = total;
  if (parts.failures <= hours - parts.failures) return total;
  const share = 1 - parts.failures / hours;
  return {
    ...total,
    hours: share * hours,
    gpu_hours: share * gpu_hours,
    cost: cost === null ? null : share * cost,
    energy_kwh: energy_kwh === null ? null : share * energy_kwh,
    parts: { ...parts, failures: 0 },
  };
}

/** What numbers of nodes are compared by: failures that take more than all else count as much, or whoever has fewer devices to fail would always win. */
export const comparedHours = ({ hours, parts }: TotalPlan): number => Math.min(hours, 2 * (hours - parts.failures));
