/** How the weights of a stage move: its optimizer and its schedule. */
import type { Instance } from "../../../dsl/eval/instance.ts";
import type { OptimizerSpec, ScheduleSpec } from "../../pipeline.ts";
import { argument, choiceAt, numberOf, unitOf, valued } from "./read.ts";

export function optimizerOf(block: Instance): OptimizerSpec | null {
  const choice = choiceAt(block, "optimizer");
  if (choice === null) return null;
  // A plugin may keep its rate to itself.
  const lr = numberOf(argument(choice, "lr")) ?? (choice.declared === undefined ? null : 0);
  if (lr === null) return null;
  const betas = argument(choice, "betas");
  const [first, second] = betas?.kind === "list" ? betas.items.map((item) => numberOf(item.value)) : [];
  return {
    name: choice.name,
    lr,
    betas: [first ?? 0.9, second ?? 0.95],
    eps: numberOf(argument(choice, "eps")) ?? 1e-8,
    weightDecay: numberOf(argument(choice, "weight_decay")) ?? 0,
    ...(choice.name === "sgd" ? { momentum: numberOf(argument(choice, "momentum")) ?? 0 } : {}),
    span: valued(block, "optimizer").span,
  };
}

export function scheduleOf(block: Instance): ScheduleSpec {
  const choice = choiceAt(block, "schedule");
  const stretch = (name: string): ScheduleSpec["warmup"] => {
    const value = choice === null ? undefined : argument(choice, name);
    const unit = unitOf(value);
    return {
      unit: unit === "step" ? "steps" : unit === "token" ? "tokens" : "fraction",
      value: numberOf(value) ?? 0,
    };
  };
  return {
    name: choice?.name ?? "constant",
    warmup: stretch("warmup"),
    cooldown: stretch("cooldown"),
    to: choice === null ? 1 : (numberOf(argument(choice, "to")) ?? 0),
    span: valued(block, "schedule").span,
  };
}
