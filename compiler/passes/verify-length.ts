/** A stage of which no one will see the end, or the first step. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import { runEndless } from "../diagnostics/course.ts";
import type { StagePlan } from "../plan.ts";
import { valued } from "./resolve/read.ts";

const day = 24 * 3600;
const year = 365.25 * day;

/** No step of a published run took an hour, and no run two years: beyond these a unit or a number is wrong. */
const longest = { step: 30 * day, run: 100 * year };

export function endless(block: Instance, { name, total, batch, time }: StagePlan): readonly Diagnostic[] {
  if (time.step > longest.step) {
    const span = valued(block, "batch").span;
    const what = `one step of ${batch.global_batch.toLocaleString("en-US")} samples takes ${inWords(time.step)}`;
    return [runEndless(span, { stage: name, what })];
  }
  const work = total.steps * time.step;
  if (work <= longest.run) return [];
  const span = valued(block, "length").span;
  return [
    runEndless(span, { stage: name, what: `${total.steps.toLocaleString("en-US")} steps take ${inWords(work)}` }),
  ];
}

const inWords = (seconds: number): string =>
  seconds < 3 * year
    ? `${Math.round(seconds / day)} days`
    : `${Number((seconds / year).toPrecision(3)).toLocaleString("en-US")} years`;
