/** Stages with an objective beside their loss: what their plan counts of it, and what it leaves out. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../dsl/eval/blocks/instance.ts";
import { isPresent } from "../../dsl/eval/declarations/lookup.ts";
import type { Program } from "../../dsl/eval/program.ts";
import { type ChoiceValue, show, type Value } from "../../dsl/types/value.ts";
import { objectivePlain, teacherCounted } from "../diagnostics/objectives.ts";
import { sizedValue } from "../kinds/model-derived.ts";
import type { Plan, StagePlan } from "../plan.ts";
import { byName } from "./by-name.ts";
import { ofTeacher } from "./operations/teaching.ts";
import { argument, choiceAt, numberOf, valued } from "./resolve/read.ts";
import { teachingModel } from "./resolve/teacher.ts";
import { count } from "./size/count.ts";

export function verifyObjectives(program: Program, plan: Plan): readonly Diagnostic[] {
  const plans = byName(plan.stages);
  return program.blocks.flatMap((stage) => {
    if (stage.kind.name !== "stage" || stage.abstract || !isPresent(stage)) return [];
    const planned = plans.get(stage.name ?? "");
    const objective = choiceAt(stage, "objective");
    return planned === undefined || objective === null
      ? []
      : [...teacher(stage, objective, planned), ...leftOut(objective, valued(stage, "objective").span, planned)];
  });
}

/** Figures of the model that a stage learns from, where it can. */
function teacher(stage: Instance, objective: ChoiceValue, { name, time }: StagePlan): Diagnostic[] {
  const said = objective.arguments.get("teacher");
  const model = said === undefined ? null : teachingModel(said.value);
  if (said === undefined || model === null || ofTeacher(stage).length > 0) return [];
  const parameters = fieldOf(sizedValue(model, "parameters"), "total");
  const seconds = time.parts["teacher"];
  if (parameters === null || seconds === undefined) return [];
  const share = `${Math.round((100 * seconds) / time.step)} %`;
  return [
    teacherCounted(said.span, { stage: name, teacher: show(said.value), parameters: count(parameters), share }),
  ];
}

function fieldOf(record: Value, name: string): number | null {
  const field = record.kind === "record" ? record.fields.get(name)?.value : undefined;
  return field?.kind === "number" ? field.value : null;
}

/** What asks for more than a forward and a backward pass of each sequence. */
function leftOut(objective: ChoiceValue, span: Diagnostic["span"], { name }: StagePlan): Diagnostic[] {
  const missing = uncounted(objective);
  return missing === null ? [] : [objectivePlain(span, { stage: name, objective: objective.name, missing })];
}

function uncounted(objective: ChoiceValue): string | null {
  if (objective.declared !== undefined) return "what it computes beside a forward and a backward pass";
  switch (objective.name) {
    case "dpo":
      return "the frozen reference model (its weights and a forward pass) and the second answer of each pair";
    case "grpo": {
      const group = numberOf(argument(objective, "group"));
      const answers = `generating and checking the ${group === null ? "" : `${group} `}answers to each prompt`;
      return numberOf(argument(objective, "kl")) === 0
        ? answers
        : `${answers}, and the frozen reference model of \`kl\``;
    }
    default:
      return null;
  }
}
