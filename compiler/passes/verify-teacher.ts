/** A stage that learns from a teacher: what a plan leaves out, in figures. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { isPresent } from "../../dsl/eval/lookup.ts";
import type { Instance } from "../../dsl/eval/instance.ts";
import type { Program } from "../../dsl/eval/program.ts";
import { show, type Value } from "../../dsl/types/value.ts";
import { teacherUncounted } from "../diagnostics/stage.ts";
import { sizedValue } from "../kinds/model-derived.ts";
import type { Plan } from "../plan.ts";
import { bytes } from "../planner/describe.ts";
import { byName } from "./by-name.ts";
import { blockAt, choiceAt } from "./resolve/read.ts";

export function verifyTeachers(program: Program, plan: Plan): readonly Diagnostic[] {
  const plans = byName(plan.stages);
  return program.blocks.flatMap((block) => {
    if (block.kind.name !== "stage" || block.abstract || !isPresent(block)) return [];
    const planned = plans.get(block.name ?? "");
    const teacher = choiceAt(block, "objective")?.arguments.get("teacher");
    const model = teacher === undefined ? null : modelOf(teacher.value);
    if (planned === undefined || teacher === undefined || model === null) return [];
    const parameters = fieldOf(sizedValue(model, "parameters"), "total");
    const flops = fieldOf(sizedValue(model, "flops_per_token"), "model");
    if (parameters === null || flops === null) return [];
    const slots = {
      stage: planned.name,
      teacher: show(teacher.value),
      weights: bytes(parameters * bytesPerWeight),
      // A step is three times a forward pass, and of a teacher only that is made.
      share: `${Math.round((100 * flops) / 3 / planned.model.flops_per_token.model)} %`,
    };
    return [teacherUncounted(teacher.span, slots)];
  });
}

/** Of 16 bits, as weights that are only read are kept. */
const bytesPerWeight = 2;

const modelOf = (value: Value): Instance | null =>
  value.kind === "handle" ? blockAt(value.block, "model") : value.kind === "block" ? value.block : null;

function fieldOf(record: Value, name: string): number | null {
  const field = record.kind === "record" ? record.fields.get(name)?.value : undefined;
  return field?.kind === "number" ? field.value : null;
}
