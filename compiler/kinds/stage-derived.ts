/** What a stage block gives when it is asked for its plan; the plan itself is made by whoever compiles. */
import type { Instance } from "../../dsl/eval/instance.ts";
import type { Context } from "../../dsl/eval/context.ts";
import type { Origin } from "../../dsl/eval/origin.ts";
import type { Dimension } from "../../dsl/types/units.ts";
import { estimate, later, number, type Value } from "../../dsl/types/value.ts";
import { costUnknown, energyUnknown } from "../diagnostics/operations.ts";
import type { StagePlan } from "../plan.ts";
import { recordOf } from "./model-derived.ts";

interface Made {
  readonly stages: ReadonlyMap<string, StagePlan>;
  /** The name of the cluster that they are planned on. */
  readonly cluster: string;
}

const plans = new WeakMap<Context, Made>();

/** Gives assertions about plans something to look at. */
export function providePlans(context: Context, stages: readonly StagePlan[], cluster: string): void {
  plans.set(context, { stages: new Map(stages.map((stage) => [stage.name, stage])), cluster });
}

export function stagePlanValue(block: Instance, what: "total.steps" | "total.tokens" | "plan"): Value {
  const made = plans.get(block.context);
  const plan = made?.stages.get(block.name ?? "");
  if (made === undefined || plan === undefined) return later;
  switch (what) {
    case "total.steps":
      return number(plan.total.steps, { step: 1 });
    case "total.tokens":
      return number(plan.total.tokens, { token: 1 });
    case "plan":
      return planRecord(block, plan, made.cluster);
  }
}

const derived = (rule: string, inputs: readonly string[]): Origin => ({ kind: "derived", rule, inputs });

/** Where in the plan a figure of a stage stands, or how it follows from what stands there. */
const origins: Readonly<Record<string, string | Origin>> = {
  steps: "total.steps",
  tokens: "total.tokens",
  "plan.memory.peak": "memory.peak",
  "plan.memory.host_peak": "memory.host_peak",
  "plan.memory.checkpoint": "memory.checkpoint",
  "plan.step_time": "time.step",
  "plan.steps_per_second": derived("1 / step", ["time.step"]),
  "plan.duration": "total.hours",
  "plan.tokens_per_second": "time.tokens_per_second",
  "plan.tokens_per_second_per_gpu": derived("tokens_per_second / world", ["time.tokens_per_second", "layout.world"]),
  "plan.mfu": "time.mfu",
  "plan.cost": "total.cost",
  "plan.energy": "total.energy_kwh",
};

export const stagePlanOrigin = (path: string): string | Origin | null =>
  Object.hasOwn(origins, path) ? (origins[path] ?? null) : null;

function planRecord(block: Instance, plan: StagePlan, cluster: string): Value {
  const { memory, time, total } = plan;
  const bytes = (value: number) => estimate(value, memory.error, { byte: 1 });
  const timed = (value: number, dimension: Dimension) => estimate(value, time.error, dimension);
  return recordOf(
    block,
    [
      [
        "memory",
        recordOf(
          block,
          [
            ["peak", bytes(memory.peak)],
            ["host_peak", bytes(memory.host_peak)],
            ["checkpoint", number(memory.checkpoint, { byte: 1 })],
          ],
          "planner/memory",
        ),
      ],
      ["step_time", timed(time.step, { second: 1 })],
      ["steps_per_second", timed(1 / time.step, { step: 1, second: -1 })],
      ["duration", timed(total.hours * 3600, { second: 1 })],
      ["tokens_per_second", timed(time.tokens_per_second, { token: 1, second: -1 })],
      ["tokens_per_second_per_gpu", timed(time.tokens_per_second_per_gpu, { token: 1, second: -1, gpu: -1 })],
      ["mfu", timed(time.mfu, {})],
      ["cost", total.cost === null ? lacking(costUnknown, cluster) : timed(total.cost, { usd: 1 })],
      [
        "energy",
        total.energy_kwh === null
          ? lacking(energyUnknown, cluster)
          : timed(total.energy_kwh * 3.6e6, { watt: 1, second: 1 }),
      ],
    ],
    "plan",
  );
}

/** What a run costs, or takes, where nobody said what a device does. */
const lacking = (tell: typeof costUnknown, cluster: string): Value => ({
  kind: "unknown",
  later: true,
  lacks: (at, condition) => tell(at, { condition, cluster }),
});
