/** What a stage may take, against what its plan takes. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../dsl/diagnostics/suggest.ts";
import type { Span } from "../../dsl/source/source.ts";
import type { Dimension } from "../../dsl/types/units.ts";
import { number, showNumber } from "../../dsl/types/value.ts";
import { budgetExceeded } from "../diagnostics/stage.ts";
import { engines } from "../engines/index.ts";
import type { Pipeline, Settings, StageStep } from "../pipeline.ts";
import type { StagePlan } from "../plan.ts";
import { totalOf } from "../planner/run/total.ts";
import { beyondLimits } from "./parallelize/beyond.ts";
import { fasterEngines } from "./parallelize/faster-engines.ts";
import { splitOf } from "./parallelize/split.ts";

const budgets = [
  { what: "cost", dimension: { usd: 1 } },
  { what: "time", dimension: { second: 1 } },
] as const;

export function verifyBudgets(stage: StageStep, planned: StagePlan, pipeline: Pipeline): readonly Diagnostic[] {
  const { total, time } = planned;
  const estimates = { cost: total.cost, time: total.hours * 3600 };
  const exceeded = budgets.flatMap(({ what, dimension }) => {
    const [limit, estimate] = [limitOf(stage.limits, what), estimates[what]];
    return limit === null || estimate === null || estimate <= limit.most
      ? []
      : [{ what, dimension, limit, estimate }];
  });
  if (exceeded.length === 0) return [];
  const keeping = engineThatKeeps(stage, planned, pipeline);
  return exceeded.map(({ what, dimension, limit, estimate }) => {
    const least = estimate * (1 - (time.error ?? 0));
    const slots = {
      what,
      estimate: estimated(estimate, dimension),
      bound: spoken(limit.most, dimension),
    };
    const severity = least > limit.most ? "error" : "warning";
    return budgetExceeded(limit.span, slots, { severity, ...(keeping === null ? {} : { fixes: [keeping] }) });
  });
}

/** In place of the engine that the file names, where another one would stay within all of the stage's limits. */
function engineThatKeeps(stage: StageStep, { model, batch, total, time, engine }: StagePlan, pipeline: Pipeline) {
  const { cluster } = pipeline.launch;
  if (stage.engine === null) return null;
  const chosen = { engine: engines[engine], step: time.step };
  const course = { steps: total.steps, split: splitOf(stage, pipeline) };
  const others = fasterEngines({ ...stage, engine: null }, cluster, model, batch.global_batch, chosen);
  const keeping = others.find((other) => beyondLimits(stage, other, course) <= 1);
  if (keeping === undefined) return null;
  const { hours, cost } = totalOf(keeping, stage, course.steps, course.split);
  const { name } = keeping.setting.engine;
  const takes = [estimated(hours * 3600, { second: 1 }), ...(cost === null ? [] : [estimated(cost, { usd: 1 })])];
  return replacement(stage.engine.span, name, `write \`engine = ${name}\`, which would take ${takes.join(" and ")}`);
}

/** The most that a stage allows itself, and where it says so. */
export function limitOf(
  { given, bounds }: Settings,
  what: "cost" | "time",
): { readonly most: number; readonly span: Span } | null {
  const [bound, said] = [bounds.get(what), given.get(what)];
  const [most, span] = bound === undefined ? [said?.value, said?.span] : [bound.max, bound.spans[0]];
  return typeof most === "number" && span !== undefined ? { most, span } : null;
}

/** Long times in hours and days, as people speak of them. */
export function spoken(value: number, dimension: Dimension): string {
  if (dimension.second !== 1 || value < 3600) return showNumber(number(value, dimension));
  const [amount, unit] = value < 72 * 3600 ? [value / 3600, "h"] : [value / 86_400, "d"];
  return `${Number(amount.toPrecision(3))} ${unit}`;
}

/** With as many digits as a plan shows of it. */
function estimated(value: number, dimension: Dimension): string {
  if (dimension.second !== 1) return spoken(Number(value.toFixed(value < 100 ? 2 : 0)), dimension);
  if (value >= 3600) return spoken(value, dimension);
  const [amount, unit] = value < 60 ? [value, "s"] : [value / 60, "min"];
  return `${Number(amount.toPrecision(2))} ${unit}`;
}
