/** The phases of a curriculum, against the stages that read by them: how long those are, and what their models can read. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { number, show, showNumber } from "../../../dsl/types/value.ts";
import { phaseEnd, phaseNever } from "../../diagnostics/data.ts";
import { sizeContext } from "../../diagnostics/size.ts";
import type { Plan, StagePlan } from "../../plan.ts";
import type { Course, Courses } from "../courses.ts";
import { type Phase, phasesOf } from "../resolve/curriculum.ts";
import { blockAt, numberOf, unitOf, valued } from "../resolve/read.ts";

export function curricula(blocks: readonly Instance[], plan: Plan, courses: Courses): Diagnostic[] {
  return blocks.flatMap((stage) => {
    const data = stage.kind.name === "stage" ? blockAt(stage, "data") : null;
    const planned = plan.stages.find(({ name }) => name === stage.name);
    const course = courses.get(stage);
    if (data === null) return [];
    const phases = phasesOf(data);
    return [
      ...(planned === undefined ? [] : phases.flatMap((each) => tooLong(each, planned))),
      ...(course === undefined ? [] : ends(stage, phases, course)),
    ];
  });
}

function tooLong({ phase }: Phase, { model: { context } }: StagePlan): Diagnostic[] {
  const { value, span } = valued(phase, "sequence");
  const sequence = numberOf(value);
  return sequence === null || sequence <= context
    ? []
    : [sizeContext(span, { sequence, context }, { valid: [`<= ${context}`] })];
}

/** Where the file says how long the stage is: who shortens it by a preset or an overlay only tries it. */
function ends(stage: Instance, phases: readonly Phase[], { steps, tokensPerStep }: Course): Diagnostic[] {
  const { origin } = valued(stage, "length");
  if (origin.kind === "written" && origin.layer !== "file") return [];
  return phases.flatMap(({ phase, until }, index) => {
    const unit = unitOf(until.value);
    const end = numberOf(until.value);
    if (end === null || (unit !== "step" && unit !== "token")) return [];
    const whole = unit === "step" ? steps : tokensPerStep === null ? null : steps * tokensPerStep;
    if (whole === null) return [];
    const slots = { phase: phase.name ?? "", until: show(until.value) };
    if (end > whole) {
      const shown = showNumber(number(whole, { [unit]: 1 }));
      return [phaseNever(until.span, { ...slots, stage: stage.name ?? "stage", total: shown })];
    }
    // A last step that is rounded up may hold more tokens than were asked for.
    const isShort = end < whole - (unit === "step" ? 0 : (tokensPerStep ?? 0));
    return index === phases.length - 1 && isShort ? [phaseEnd(until.span, slots)] : [];
  });
}
