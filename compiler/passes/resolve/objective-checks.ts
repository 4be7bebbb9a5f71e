/** What an objective needs of data, of the weights that it starts from, and of the model's context. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { objectiveCritic, objectiveData, objectiveHorizon, policyUntrained } from "../../diagnostics/objectives.ts";
import { termsOf } from "../../kinds/stage/objectives.ts";
import type { ChoiceValue } from "../../../dsl/types/value.ts";
import { contextValue } from "../../kinds/stage-derived.ts";
import { freezesOf } from "./tuning.ts";
import { countsAnswers } from "./conversations.ts";
import { blockAt, boolAt, choiceAt, group, numberOf, valued } from "./read.ts";

type Report = (diagnostic: Diagnostic) => void;

export function checkObjective(stage: Instance, model: Instance | null, report: Report): void {
  const objective = choiceAt(stage, "objective");
  const loss = valued(stage, "loss");
  if (objective?.name === "dpo" && objective.declared === undefined)
    checkFormat(stage, valued(stage, "objective").span, preferences, report);
  const isUntrained = model !== null && [stage, model].every((block) => valued(block, "from").value.kind === "none");
  if (isUntrained) checkUntrained(stage, report);
  if (objective !== null && model !== null) checkCritic(objective, model, report);
  if (countsAnswers(loss)) checkFormat(stage, loss.span, answers, report);
  const horizon = objective === null ? undefined : objective.arguments.get("horizon");
  const [longest, context] = [numberOf(horizon?.value), numberOf(contextValue(stage))];
  if (horizon !== undefined && longest !== null && context !== null && longest >= context)
    report(objectiveHorizon(horizon.span, { horizon: longest, context }, { valid: [`< ${context} tokens`] }));
}

/** What is made for trained weights; of adapters and what is frozen beside them one is told. */
function checkUntrained(stage: Instance, report: Report): void {
  const tell = (property: string, choice: string): void =>
    report(policyUntrained(valued(stage, property).span, { stage: stage.name ?? "", choice }));
  const objective = choiceAt(stage, "objective");
  if (objective !== null && objective.declared === undefined && isPolicy(objective))
    tell("objective", objective.name);
  const adapters = choiceAt(stage, "adapters");
  if (adapters !== null) {
    if (adapters.declared === undefined) tell("adapters", adapters.name);
  } else if (freezesOf(stage).length > 0) tell("freeze", "freeze");
}

function checkCritic(objective: ChoiceValue, model: Instance, report: Report): void {
  const advantage = objective.arguments.get("advantage");
  if (advantage?.value.kind !== "choice" || advantage.value.name !== "gae") return;
  const readout = group(model, "readout");
  if (readout === null || boolAt(readout, "value") !== true)
    report(objectiveCritic(advantage.span, { model: model.name ?? "" }));
}

const isPolicy = (objective: ChoiceValue): boolean => termsOf[objective.name]?.[0] === "policy";

interface Need {
  readonly what: string;
  readonly needs: string;
  readonly formats: readonly string[];
  readonly valid: readonly string[];
}

const preferences: Need = {
  what: "`dpo`",
  needs: "pairs of a preferred and a rejected answer",
  formats: ["preferences"],
  valid: ["format = preferences(prompt = …, chosen = …, rejected = …)"],
};
const answers: Need = {
  what: "`over = answers`",
  needs: "rows with questions and answers",
  formats: ["chat", "pairs", "preferences"],
  valid: ["format = chat", "format = pairs(prompt = …, answer = …)"],
};

/** How rows are read, by the data's own `format` or that of the data it is made from. */
function checkFormat(stage: Instance, span: Diagnostic["span"], need: Need, report: Report): void {
  const data = blockAt(stage, "data");
  const said = data === null ? null : formatted(data);
  if (data === null || said === null) return;
  const { value, span: at } = valued(said, "format");
  if (value.kind === "unknown" || said.strangers.has("format")) return;
  if (value.kind === "choice" && (value.declared !== undefined || need.formats.includes(value.name))) return;
  const format = value.kind === "choice" ? `as \`${value.name}\`` : "as plain text";
  const { what, needs, valid } = need;
  const related = [{ message: "its training data", span: value.kind === "choice" ? at : data.span }];
  report(objectiveData(span, { what, needs, data: `\`${data.name ?? "data"}\``, format }, { related, valid }));
}

function formatted(data: Instance, above: readonly Instance[] = []): Instance | null {
  if (above.includes(data) || data.kind.name !== "data") return null;
  const from = choiceAt(data, "format") === null ? blockAt(data, "from") : null;
  return from === null ? data : formatted(from, [...above, data]);
}
