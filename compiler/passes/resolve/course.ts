/** How the weights of a stage move: its optimizer and its schedule. */
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { ChoiceValue } from "../../../dsl/types/value.ts";
import type { OptimizerSpec, ScheduleSpec } from "../../pipeline.ts";
import { argument, choiceAt, numberOf, unitOf, valued } from "./read.ts";

export function optimizerOf(block: Instance): OptimizerSpec | null {
  const choice = choiceAt(block, "optimizer");
  if (choice === null) return null;
  // A plugin may keep its rate to itself.
  const lr = numberOf(argument(choice, "lr")) ?? (choice.declared === undefined ? null : 0);
  if (lr === null) return null;
  const others = argument(choice, "others");
  const rest = choice.name === "muon" && others?.kind === "choice" ? others : choice;
  const betas = argument(rest, "betas");
  const [first, second] = betas?.kind === "list" ? betas.items.map((item) => numberOf(item.value)) : [];
  return {
    name: choice.name,
    lr,
    betas: [first ?? 0.9, second ?? 0.95],
    eps: numberOf(argument(rest, "eps")) ?? 1e-8,
    weightDecay: numberOf(argument(choice, "weight_decay")) ?? 0,
    ...(choice.name === "sgd" ? { momentum: numberOf(argument(choice, "momentum")) ?? 0 } : {}),
    ...(choice.name === "muon" ? muonOf(choice, rest) : {}),
    span: valued(block, "optimizer").span,
  };
}

function muonOf(choice: ChoiceValue, rest: ChoiceValue): Pick<OptimizerSpec, "momentum" | "muon"> {
  const momentum = numberOf(argument(choice, "momentum"));
  const nesterov = argument(choice, "nesterov");
  return {
    ...(momentum === null ? {} : { momentum }),
    muon: {
      nesterov: nesterov?.kind === "bool" ? nesterov.value : true,
      iterations: numberOf(argument(choice, "iterations")) ?? 5,
      rates: ["lr", "embeddings", "head", "scalars"].flatMap((name) => numberOf(argument(rest, name)) ?? []),
    },
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
