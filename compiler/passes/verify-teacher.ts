/** A stage that learns from a teacher: how its plan counts it, in figures. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { isPresent } from "../../dsl/eval/declarations/lookup.ts";
import type { Program } from "../../dsl/eval/program.ts";
import { show, type Value } from "../../dsl/types/value.ts";
import { teacherCounted } from "../diagnostics/stage.ts";
import { sizedValue } from "../kinds/model-derived.ts";
import type { Plan } from "../plan.ts";
import { byName } from "./by-name.ts";
import { choiceAt } from "./resolve/read.ts";
import { teachingModel } from "./resolve/teacher.ts";
import { count } from "./size/count.ts";

export function verifyTeachers(program: Program, plan: Plan): readonly Diagnostic[] {
  const plans = byName(plan.stages);
  return program.blocks.flatMap((block) => {
    if (block.kind.name !== "stage" || block.abstract || !isPresent(block)) return [];
    const planned = plans.get(block.name ?? "");
    const teacher = choiceAt(block, "objective")?.arguments.get("teacher");
    const model = teacher === undefined ? null : teachingModel(teacher.value);
    if (planned === undefined || teacher === undefined || model === null) return [];
    const parameters = fieldOf(sizedValue(model, "parameters"), "total");
    const seconds = planned.time.parts["teacher"];
    if (parameters === null || seconds === undefined) return [];
    const slots = {
      stage: planned.name,
      teacher: show(teacher.value),
      parameters: count(parameters),
      share: `${Math.round((100 * seconds) / planned.time.step)} %`,
    };
    return [teacherCounted(teacher.span, slots)];
  });
}

function fieldOf(record: Value, name: string): number | null {
  const field = record.kind === "record" ? record.fields.get(name)?.value : undefined;
  return field?.kind === "number" ? field.value : null;
}
