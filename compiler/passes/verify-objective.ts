/** Stages whose objective asks for more than a forward and a backward pass of each sequence: what their plan leaves out. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { isPresent } from "../../dsl/eval/declarations/lookup.ts";
import type { Program } from "../../dsl/eval/program.ts";
import type { ChoiceValue } from "../../dsl/types/value.ts";
import { objectivePlain } from "../diagnostics/stage.ts";
import type { Plan } from "../plan.ts";
import { byName } from "./by-name.ts";
import { argument, choiceAt, numberOf, valued } from "./resolve/read.ts";

export function verifyObjectives(program: Program, plan: Plan): readonly Diagnostic[] {
  const plans = byName(plan.stages);
  return program.blocks.flatMap((block) => {
    if (block.kind.name !== "stage" || block.abstract || !isPresent(block)) return [];
    const objective = choiceAt(block, "objective");
    const missing = objective === null ? null : uncounted(objective);
    const { span } = valued(block, "objective");
    if (objective === null || missing === null || !plans.has(block.name ?? "")) return [];
    return [objectivePlain(span, { stage: block.name ?? "", objective: objective.name, missing })];
  });
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
