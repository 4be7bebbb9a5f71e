/** What a stage says of steps that it never takes: periods, questions, a rate that rises longer than it trains. */
import { counted } from "../../dsl/diagnostics/counted.ts";
import { outOfRange } from "../../dsl/diagnostics/catalog/values.ts";
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { expectationsIn } from "../../dsl/eval/formulas/expectation.ts";
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import { show, type FormulaTree } from "../../dsl/types/value.ts";
import { batchWarmup } from "../diagnostics/batch.ts";
import { expectNever, periodNever } from "../diagnostics/course.ts";
import { scheduleSteps } from "../planner/schedule.ts";
import type { Course, Courses } from "./courses.ts";
import { scheduleOf } from "./resolve/course.ts";
import { textIn } from "./resolve/expectations.ts";
import { choiceAt, valued } from "./resolve/read.ts";
import { isBeyond, type Stretch, stretchesIn } from "./stretches.ts";

export const verifyCourses = (courses: Courses): readonly Diagnostic[] => [
  ...[...courses].flatMap(([block, course]) => [...rates(block, course), ...points(block, course)]),
  ...periods(courses),
];

function rates(block: Instance, { steps, tokensPerStep }: Course): Diagnostic[] {
  const restarts = choiceAt(block, "schedule")?.arguments.get("restarts");
  if (restarts?.value.kind === "number" && restarts.value.value >= Math.max(1, steps)) {
    const allowed = `fewer than the ${counted(steps, "step")} of the run`;
    return [outOfRange(restarts.span, { what: "`restarts`", found: show(restarts.value), allowed })];
  }
  const { warmup, cooldown } = scheduleSteps(scheduleOf(block), steps, tokensPerStep ?? Infinity);
  if (warmup < steps && warmup + cooldown <= steps) return [];
  const schedule = valued(block, "schedule");
  const said = choiceAt(block, "schedule")?.arguments;
  // Where one of them alone is too long, it is what was written last that is to be changed.
  const at = warmup >= steps ? said?.get("warmup") : cooldown > steps ? said?.get("cooldown") : undefined;
  const span = at?.origin.kind === "written" ? at.span : schedule.span;
  const valid = [`${cooldown > 0 ? "<=" : "<"} ${counted(steps, "step")}`];
  return [batchWarmup(span, { warmup, cooldown, steps }, { valid })];
}

/** Who shortens a stage by a preset or an overlay only tries it. */
function isTried(block: Instance): boolean {
  const { origin } = valued(block, "length");
  return origin.kind === "written" && origin.layer !== "file";
}

/** `eval { every = 10_000 steps }` in a stage of 1000 steps: told once, whichever stages inherit it; of an `eval` that several list, if it is of use in none. */
function periods(courses: Courses): Diagnostic[] {
  const places = new Map<string, { stretch: Stretch; stages: { name: string; steps: number }[]; isOfUse: boolean }>();
  for (const [block, course] of courses) {
    const isShort = !isTried(block);
    for (const stretch of stretchesIn(block)) {
      const key = `${stretch.span.source.path}:${stretch.span.start}`;
      const place = places.get(key) ?? { stretch, stages: [], isOfUse: false };
      places.set(key, place);
      if (isShort && isBeyond(stretch, course))
        place.stages.push({ name: block.name ?? "stage", steps: course.steps });
      else place.isOfUse = true;
    }
  }
  return [...places.values()].flatMap(({ stretch: { of, name, value, span, isShared }, stages, isOfUse }) => {
    const [short, ...others] = stages;
    if (short === undefined || (isShared && isOfUse)) return [];
    const { name: stage, steps } = short;
    return [periodNever(span, { of, name, value: show(value), stage, steps, others: others.length })];
  });
}

/** `expect loss.at(5000 steps) <= 3` in a stage of 1000 steps. */
function points(block: Instance, { steps }: Course): Diagnostic[] {
  if (isTried(block)) return [];
  return expectationsIn(block).flatMap(({ node, condition }) => {
    const at = Math.max(0, ...pointsIn(condition));
    if (at <= steps) return [];
    return [
      expectNever(
        node.span,
        { condition: textIn(node.condition), at, steps },
        { valid: [`<= ${counted(steps, "step")}`] },
      ),
    ];
  });
}

function pointsIn(tree: FormulaTree): number[] {
  if (tree === null || typeof tree !== "object") return [];
  if (Array.isArray(tree)) return tree.flatMap(pointsIn);
  if ("op" in tree) return tree.of.flatMap(pointsIn);
  return "at" in tree && typeof tree.at === "number" ? [tree.at] : [];
}
