/** What a plan says itself, and whether its engine would start it. */
import { engines } from "../../engines/index.ts";
import type { ClusterSpec, StageStep } from "../../pipeline.ts";
import type { SizedModel, StagePlan } from "../../plan.ts";
import { groundOf, unspentOf } from "../../planner/adapter/ground.ts";
import { hardwareFlops } from "../../planner/adapter/hardware-flops.ts";
import { totalOf } from "../../planner/run/total.ts";
import type { Evaluated } from "../../planner/search/evaluate.ts";
import { batchPlanOf, layoutOf } from "./laid-out.ts";

/** How it came to that, and what was not taken, is made when somebody asks. */
export type Figures = Omit<StagePlan, "origins" | "alternatives">;

/** `split`: tokens of the validation split. */
export function figuresOf(
  stage: StageStep,
  whole: SizedModel,
  best: Evaluated,
  steps: number,
  split: number | null,
): Figures {
  const { setting, choice, memory, time } = best;
  const unspent = unspentOf(setting);
  const flops = hardwareFlops(setting, choice, stage.sequence.value);
  const counted = { model: flops.model - unspent, hardware: flops.hardware - unspent };
  return {
    name: stage.name,
    engine: setting.engine.name,
    model: { ...whole, flops_per_token: counted },
    layout: layoutOf(best),
    batch: batchPlanOf(best),
    memory,
    time,
    total: totalOf(best, stage, steps, split),
    ...(stage.tuning === undefined ? {} : { trained: groundOf(setting).trained }),
  };
}

/** Would the engine of the plan start the stage, and is it silent about it? */
export type Verdict = "refused" | "started" | "silent";

export function verdictOf(stage: StageStep, figures: Figures, cluster: ClusterSpec): Verdict {
  // One plan for all rules: what they lower from it is made once for each.
  const plan: StagePlan = { ...figures, origins: {}, alternatives: [] };
  let verdict: Verdict = "silent";
  for (const rule of engines[plan.engine].rules)
    for (const { severity } of rule.check(stage, plan, cluster)) {
      if (severity === "error") return "refused";
      verdict = "started";
    }
  return verdict;
}
