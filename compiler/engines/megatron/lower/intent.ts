/** What a stage means, as values of Megatron's arguments, before any of them is written down. */
import type { Span } from "../../../../dsl/source/source.ts";
import type { ClusterSpec, StageStep } from "../../../pipeline.ts";
import type { StagePlan } from "../../../plan.ts";
import type { MegatronArguments } from "../arguments.ts";

/** One argument's value and why it has it. */
export interface Intent {
  readonly dest: string;
  readonly value: unknown;
  /** The property it follows from, by its path, or a reason. */
  readonly from: string;
  /** The property leaves it to the compiler: the engine's own words may say it otherwise. */
  readonly open?: true;
}

/** What a stage is lowered from. */
export interface Subject {
  readonly stage: StageStep;
  readonly plan: StagePlan;
  readonly cluster: ClusterSpec;
}

/** One intent, its value of the type that the engine's table gives. */
export function say<Name extends keyof MegatronArguments>(
  dest: Name,
  value: NonNullable<MegatronArguments[Name]>,
  from: string,
): Intent {
  return { dest, value, from };
}

/** One that its property does not decide. */
export function propose<Name extends keyof MegatronArguments>(
  dest: Name,
  value: NonNullable<MegatronArguments[Name]>,
  from: string,
): Intent {
  return { dest, value, from, open: true };
}

/** Intents under a condition. */
export const only = (condition: boolean, intents: () => readonly Intent[]): readonly Intent[] =>
  condition ? intents() : [];

/** Where what an intent follows from was written; the stage where it was not. */
export function spanOf({ stage }: Subject, { from, dest }: Intent): Span {
  const dot = from.indexOf(".");
  const [group, name] = dot < 0 ? [from, ""] : [from.slice(0, dot), from.slice(dot + 1)];
  switch (group) {
    case "model":
      return stage.model.given.get(name)?.span ?? (name === "family" ? stage.model.family.span : stage.model.span);
    case "layout":
      return stage.layout.given.get(name)?.span ?? stage.layout.bounds.get(name)?.spans[0] ?? stage.span;
    case "batch":
      return name === "micro_batch"
        ? (stage.layout.given.get(name)?.span ?? stage.span)
        : name === "sequence"
          ? stage.sequence.span
          : stage.batch.span;
    case "optimizer":
      return stage.optimizer.span;
    case "schedule":
      return stage.schedule.span;
    case "length":
      return stage.length.span;
    case "precision":
      return stage.precision.span;
    case "data":
      return stage.conversations?.span ?? stage.span;
    case "clip":
      return stage.clipSpan ?? stage.span;
    case "resume":
      return stage.resumeSpan ?? stage.span;
    case "raw":
      return stage.rawMegatronSpans.get(name) ?? stage.rawMegatronSpans.get(dest) ?? stage.span;
    default:
      return stage.span;
  }
}
