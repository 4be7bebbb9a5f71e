/** A curriculum against itself: phases follow one another to the end of the run, and each has a mixture. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import { amended } from "../../../dsl/eval/blocks/amended.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { isPresent } from "../../../dsl/eval/declarations/lookup.ts";
import { show, type Valued } from "../../../dsl/types/value.ts";
import { phaseEnd, phaseOrder } from "../../diagnostics/data.ts";
import { group, numberOf, unitOf, valued } from "./read.ts";
import { checkWeights, weightsOf } from "./weights.ts";

type Report = (diagnostic: Diagnostic) => void;

export interface Phase {
  readonly phase: Instance;
  readonly until: Valued;
}

export function phasesOf(data: Instance): readonly Phase[] {
  const curriculum = group(data, "curriculum");
  const phases = curriculum === null ? [] : [...curriculum.blocks.values()].filter(isPresent);
  return phases.map((phase) => ({ phase, until: valued(phase, "until") }));
}

export function checkCurriculum(data: Instance, report: Report): void {
  const phases = phasesOf(data);
  if (checkOrder(phases, report)) checkEnd(phases, report);
  const base = textOfWeights(data);
  for (const { phase } of phases) {
    const during = amended(phase);
    // What the phase leaves as it is was judged with the data.
    if (during !== null && textOfWeights(during) !== base) checkWeights(during, report, phase);
  }
}

const textOfWeights = (data: Instance): string =>
  weightsOf(data)
    .said.map(({ value }) => show(value))
    .join(" ");

/** Phases end one after another, in the order in which they stand. */
function checkOrder(phases: readonly Phase[], report: Report): boolean {
  const wrong = phases.flatMap(({ phase, until }, index) => {
    const before = phases[index - 1];
    const [now, then] = [numberOf(until.value), numberOf(before?.until.value)];
    if (before === undefined || now === null || then === null) return [];
    if (unitOf(until.value) !== unitOf(before.until.value) || now > then) return [];
    const slots = { phase: phase.name ?? "", before: before.phase.name ?? "" };
    const related = [{ message: "the phase before it", span: before.until.span }];
    return [phaseOrder(until.span, slots, { related })];
  });
  wrong.forEach(report);
  return wrong.length === 0;
}

/** The last share is the whole run; whether steps or tokens reach its end is known with the plan. */
function checkEnd(phases: readonly Phase[], report: Report): void {
  const last = phases.at(-1);
  const end = last === undefined ? null : numberOf(last.until.value);
  if (last === undefined || end === null || unitOf(last.until.value) !== null || end === 1) return;
  const fixes = last.until.origin.kind === "written" ? [replacement(last.until.span, "100%")] : [];
  report(phaseEnd(last.until.span, { phase: last.phase.name ?? "", until: show(last.until.value) }, { fixes }));
}
