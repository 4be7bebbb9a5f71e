import type { Bound, Given, Scalar, Settings } from "../pipeline.ts";
import type { MemoryPlan, TimePlan } from "../plan.ts";
import { divisors } from "./divisors.ts";
import { memoryOf } from "./memory.ts";
import { margin } from "./runtime.ts";
import { worldOf, type Choice, type Setting } from "./setting.ts";
import { timeOf } from "./time.ts";

export interface Evaluated {
  readonly setting: Setting;
  readonly choice: Choice;
  readonly memory: MemoryPlan;
  readonly time: TimePlan;
  readonly fits: boolean;
}

/** Does a pin or bound of the layout let a value be chosen? */
export function allows(layout: Settings, property: string, value: Scalar): boolean {
  const given: Given<Scalar> | undefined = layout.given.get(property);
  if (given !== undefined && given.value !== value) return false;
  const bound: Bound | undefined = layout.bounds.get(property);
  if (bound === undefined) return true;
  if (bound.oneOf !== null && !bound.oneOf.includes(value)) return false;
  return (
    typeof value !== "number" ||
    ((bound.min === null || value >= bound.min) && (bound.max === null || value <= bound.max))
  );
}

/** Every choice that divides the batch, that the engine has and that the layout allows. */
export function choices(setting: Setting, layout: Settings): Choice[] {
  const world = worldOf(setting.cluster);
  if (setting.globalBatch % world !== 0) return [];
  const perRank = setting.globalBatch / world;
  const { zero_stages, recompute, offload } = setting.engine.capabilities;
  // On a CPU machine the host is where everything lies already: only who asks for offload gets it.
  const asked = setting.cluster.device.kind === "gpu" || layout.given.has("offload");
  const places = asked ? offload : offload.filter((place) => place === "none");
  const found: Choice[] = [];
  for (const micro_batch of divisors(perRank).filter((m) => allows(layout, "micro_batch", m))) {
    for (const zero_stage of zero_stages.filter((z) => allows(layout, "zero_stage", z))) {
      for (const place of places.filter((o) => allows(layout, "offload", o))) {
        if ((place === "optimizer" && zero_stage === 0) || (place === "all" && zero_stage !== 3)) continue;
        for (const again of recompute.filter((r) => allows(layout, "recompute", r))) {
          found.push({
            micro_batch,
            accumulation: perRank / micro_batch,
            zero_stage,
            recompute: again,
            offload: place,
          });
        }
      }
    }
  }
  return found;
}

export function evaluate(setting: Setting, choice: Choice): Evaluated {
  const memory = memoryOf(setting, choice);
  const { cluster } = setting;
  const host = cluster.device.kind === "gpu" && cluster.ram !== null ? cluster.ram : Infinity;
  const fits = memory.peak <= memory.usable * (1 - margin) && memory.host_peak * cluster.gpusPerNode <= 0.9 * host;
  return { setting, choice, memory, time: timeOf(setting, choice), fits };
}

/** Steps so close to the fastest are as good: the estimate cannot tell them apart. */
const indifference = 0.03;

/**
 * Plans in order of preference: the plainest of those whose step comes within 3 % of the fastest (less sharding, nothing
 * offloaded or recomputed, then the faster one), then the other ones that fit, fastest first. What does not fit comes
 * last, leanest first.
 */
export function rank(evaluated: readonly Evaluated[]): Evaluated[] {
  const fitting = evaluated.filter(({ fits }) => fits).sort((a, b) => a.time.step - b.time.step);
  const limit = (fitting[0]?.time.step ?? 0) * (1 + indifference);
  const [best] = fitting
    .filter(({ time }) => time.step <= limit)
    .sort((a, b) => burden(a) - burden(b) || a.time.step - b.time.step || a.memory.peak - b.memory.peak);
  const rest = evaluated.filter(({ fits }) => !fits).sort((a, b) => a.memory.peak - b.memory.peak);
  return best === undefined ? rest : [best, ...fitting.filter((one) => one !== best), ...rest];
}

function burden({ choice }: Evaluated): number {
  return choice.zero_stage + (choice.recompute === "none" ? 0 : 4) + (choice.offload === "none" ? 0 : 8);
}
