/** `pretrain.at(10_000 steps)`: whether the stage has a checkpoint of that step when it has ended. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { isPresent } from "../../dsl/eval/lookup.ts";
import type { Program } from "../../dsl/eval/program.ts";
import type { Span } from "../../dsl/source/source.ts";
import { show, type Value, type Valued } from "../../dsl/types/value.ts";
import { checkpointAt } from "../diagnostics/stage.ts";
import type { Pipeline, StageStep } from "../pipeline.ts";
import type { Plan, StagePlan } from "../plan.ts";
import { periodSteps } from "../planner/schedule.ts";
import { saidIn } from "./operations/references.ts";

export function verifyPoints(program: Program, pipeline: Pipeline, plan: Plan): readonly Diagnostic[] {
  return program.blocks
    .filter((block) => !block.abstract && isPresent(block))
    .flatMap((block) => [...saidIn(block)].flatMap(pointsIn))
    .flatMap(({ span, handle, step }) => {
      const name = handle.block.name ?? handle.block.kind.name;
      const stage = pipeline.steps.find((s): s is StageStep => s.kind === "stage" && s.name === name);
      const planned = plan.stages.find((s) => s.name === name);
      if (stage === undefined || planned === undefined) return [];
      const found = problem(step, stage, planned);
      if (found === null) return [];
      return [checkpointAt(span, { handle: show(handle), stage: name, why: found.why }, { valid: found.valid })];
    });
}

interface Point {
  readonly span: Span;
  readonly handle: Extract<Value, { kind: "handle" }>;
  readonly step: number;
}

function pointsIn({ value, span }: Pick<Valued, "value" | "span">): Point[] {
  switch (value.kind) {
    case "handle":
      return value.at?.value.kind === "number" ? [{ span, handle: value, step: value.at.value.value }] : [];
    case "list":
      return value.items.flatMap(pointsIn);
    case "choice":
      return [...value.arguments.values()].flatMap(pointsIn);
    default:
      return [];
  }
}

interface Problem {
  readonly why: string;
  readonly valid: readonly string[];
}

function problem(step: number, { checkpoint }: StageStep, { total, batch, time }: StagePlan): Problem | null {
  // The end is always saved, and the newest one always stays.
  if (step === total.steps) return null;
  const valid = [`${total.steps} steps`];
  if (step > total.steps) return { why: `ends after ${total.steps} steps`, valid: [`<= ${total.steps} steps`] };
  const every = checkpoint?.every ?? null;
  if (checkpoint === null || every === null)
    return { why: "saves at its end alone, as no `checkpoint { every = … }` says otherwise", valid };
  if (every.unit === "seconds") return { why: "saves by the clock, at steps that nobody knows before", valid };
  const period = periodSteps(every, batch.tokens_per_step, time.step);
  if (step % period !== 0) {
    const before = step - (step % period);
    const around = [before, before + period].filter((each) => each > 0 && each <= total.steps);
    return { why: `saves every ${period} steps`, valid: around.map((each) => `${each} steps`) };
  }
  const { keepLast } = checkpoint;
  if (keepLast === null) return null;
  // Those after it, and that of the end where no period ends there.
  const newer = Math.ceil(total.steps / period) - step / period;
  if (newer < keepLast) return null;
  return {
    why: `keeps the newest ${keepLast === 1 ? "one" : keepLast} of its checkpoints, and ${newer} come after this one`,
    valid: [`keep = last(${newer + 1})`, "keep = all"],
  };
}
