/** Whether a stage trains on the tokens that its model was sized for. */
import type { Diagnostic, Fix } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import { sizeMissesLength, sizeStarved } from "../../diagnostics/size.ts";
import type { Pipeline, StageStep } from "../../pipeline.ts";
import type { StagePlan } from "../../plan.ts";
import { optimalRatio } from "./budget.ts";
import { count } from "./count.ts";

/** Half as many tokens as are best still come to nearly the same loss (Hoffmann et al., arXiv 2203.15556, figure 3). */
const starved = optimalRatio / 2;

/** Steps and whole batches leave less than this between what is counted on and what is trained on. */
const near = 0.05;

export function missesLength(stage: StageStep, plan: StagePlan, { steps }: Pipeline): Diagnostic[] {
  const { size, name } = stage.model;
  const first = steps.find((step) => step.kind === "stage" && step.model.name === name);
  // A model is sized for the first stage that trains it.
  if (size === null || first?.name !== stage.name) return [];
  const trained = plan.total.tokens;
  const each = trained / plan.model.parameters[size.which];
  const byLaw = (ratio: number): string => `${name}.parameters.${size.which} * ${ratio} tokens/param`;
  const fixesTo = (ratio: number): readonly Fix[] => [
    replacement(stage.length.span, byLaw(ratio), `use length = ${byLaw(ratio)}`),
  ];
  const related = [{ message: "what it trains on", span: stage.length.span }];
  const perParameter = String(Number(each.toPrecision(2)));
  if (size.budget?.isRatioLeft === true && each < starved) {
    const slots = { stage: stage.name, model: name, tokens: count(trained), each: perParameter, ratio: optimalRatio };
    return [sizeStarved(size.span, slots, { fixes: fixesTo(optimalRatio), related })];
  }
  if (size.counted === undefined) return [];
  const { tokens, ratio, span } = size.counted;
  if (Math.abs(trained / tokens - 1) <= near || Math.abs(each / ratio - 1) <= near) return [];
  const slots = {
    stage: stage.name,
    tokens: count(tokens),
    trained: count(trained),
    ratio: String(ratio),
    each: perParameter,
  };
  // More than the law says is usual of models that are used much.
  return [
    sizeMissesLength(span, slots, {
      fixes: fixesTo(ratio),
      related,
      ...(trained < tokens ? {} : { severity: "info" }),
    }),
  ];
}
