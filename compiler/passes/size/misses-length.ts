/** Whether a stage trains on the tokens that its model was sized for. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import { sizeMissesLength } from "../../diagnostics/size.ts";
import type { Pipeline, StageStep } from "../../pipeline.ts";
import type { StagePlan } from "../../plan.ts";
import { count } from "./count.ts";

/** Steps and whole batches leave less than this between what is counted on and what is trained on. */
const near = 0.05;

export function missesLength(stage: StageStep, plan: StagePlan, { steps }: Pipeline): Diagnostic[] {
  const { size, name } = stage.model;
  const first = steps.find((step) => step.kind === "stage" && step.model.name === name);
  // A model is sized for the first stage that trains it.
  if (size?.counted === undefined || first?.name !== stage.name) return [];
  const { tokens, ratio, span } = size.counted;
  const trained = plan.total.tokens;
  const each = trained / plan.model.parameters[size.which];
  if (Math.abs(trained / tokens - 1) <= near || Math.abs(each / ratio - 1) <= near) return [];
  const slots = {
    stage: stage.name,
    tokens: count(tokens),
    trained: count(trained),
    ratio: String(ratio),
    each: String(Number(each.toPrecision(2))),
  };
  const length = `${name}.parameters.${size.which} * ${ratio} tokens/param`;
  const fixes = [replacement(stage.length.span, length, `use length = ${length}`)];
  const related = [{ message: "what it trains on", span: stage.length.span }];
  // More than the law says is usual of models that are used much.
  return [sizeMissesLength(span, slots, { fixes, related, ...(trained < tokens ? {} : { severity: "info" }) })];
}
