/** Whether a plan comes to what its model was sized for, and if it does not, why. */
import type { Details, Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import { sizeMissesBudget } from "../../diagnostics/size.ts";
import type { Budget, Pipeline, StageStep } from "../../pipeline.ts";
import type { StagePlan } from "../../plan.ts";
import { near, optimalRatio } from "./budget.ts";
import { count } from "./count.ts";

export function missesBudget(stage: StageStep, plan: StagePlan, pipeline: Pipeline): Diagnostic[] {
  const { size, name } = stage.model;
  const budget = size?.budget;
  const first = pipeline.steps.find((step) => step.kind === "stage" && step.model.name === name);
  // A model is sized for the first stage that trains it.
  if (size === null || budget === undefined || first?.name !== stage.name) return [];
  const { goal, amount, on } = budget;
  const taken = { cost: plan.total.cost, gpu_hours: plan.total.gpu_hours, time: plan.total.hours }[goal];
  if (taken === null) return [];
  const paid = goal === "cost" ? amount : amount / 3600;
  const off = taken / paid - 1;
  if (Math.abs(off) <= near) return [];
  const unit = { cost: "usd", gpu_hours: "device hours", time: "h" }[goal];
  const text = (value: number): string => `${figure(value)} ${unit}`;
  const { why, ...details } = reason(stage, plan, pipeline, budget);
  const slots = { stage: stage.name, takes: text(taken), budget: text(paid), on, why };
  return [sizeMissesBudget(size.span, slots, { ...(off > 0 ? {} : { severity: "info" }), ...details })];
}

function reason(
  stage: StageStep,
  plan: StagePlan,
  { launch }: Pipeline,
  { on, ratio, use, by, unread, isFull, isShort, isRatioLeft }: Budget,
): Details & { readonly why: string } {
  const { name, size } = stage.model;
  const which = size?.which ?? "total";
  const tokens = ratio * plan.model.parameters[which];
  if (launch.cluster.name !== on)
    return {
      why: `it runs on ${launch.cluster.name}`,
      fix: `Size for \`on = ${launch.cluster.name}\`, or launch on ${on}.`,
    };
  if (isShort)
    return {
      why: `no model that was tried takes less${isRatioLeft ? ` on the ${count(plan.total.tokens)} tokens of its \`length\`` : ""}`,
      fix: isRatioLeft
        ? `Write a shorter \`length\` (\`${name}.parameters.${which} * ${optimalRatio} tokens/param\` follows from the model), or raise the budget.`
        : "Raise the budget.",
      severity: "error",
    };
  if (Math.abs(plan.total.tokens / tokens - 1) > near) {
    const length = `${name}.parameters.${which} * ${ratio} tokens/param`;
    const each = which === "active" ? "active parameter" : "parameter";
    return {
      why: `it trains on ${count(plan.total.tokens)} tokens, but the size assumes ${count(tokens)}, ${ratio} per ${each}`,
      fix: `Write \`length = ${length}\`, or the intended \`ratio\`.`,
      fixes: [replacement(stage.length.span, length, `use length = ${length}`)],
    };
  }
  if (by === "file")
    return {
      why: `its plan reaches another utilization than \`use\`, ${percent(use)}`,
      fix: "Remove `use`; the size then assumes the utilization of the plan.",
    };
  if (by === "nobody")
    return {
      why: `its plan could not be made before the size was known, so a utilization of ${percent(use)} was assumed`,
      fix: "Write `use` with the utilization that the plan shows, or lower the budget.",
    };
  if (unread.length > 0)
    return {
      why: `its ${unread.map((each) => `\`${each}\``).join(" and ")} may follow from the model, so the size was chosen without it`,
      fix: "Write it without the model, or write `use`, the share of the peak that the plan shows.",
    };
  if (isFull)
    return {
      why: `no larger model fits on ${on}`,
      fix: "Spend it on more devices, or on more tokens per parameter: a larger `ratio`, in `length` too.",
    };
  return {
    why: "shapes come in steps, and no closer one was found",
    fix: "Raise the budget a little, or write `within`.",
  };
}

const percent = (share: number): string => `${Number((100 * share).toPrecision(3))} %`;
const figure = (value: number): string => Number(value.toPrecision(4)).toLocaleString("en");
