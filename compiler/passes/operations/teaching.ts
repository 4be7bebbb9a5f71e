/** What a stage can learn from: a teacher that is trained, and predicts the same tokens at the same places. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { show } from "../../../dsl/types/value.ts";
import { teacherTokenizer, teacherUnfit } from "../../diagnostics/operations.ts";
import { blockAt, choiceAt, numberAt, valued } from "../resolve/read.ts";
import { teachingModel } from "../resolve/teacher.ts";
import { tokenizerConfig } from "../resolve/tokenizer.ts";
import { sameTokens } from "./same-tokens.ts";

/** Vocabularies of one tokenizer may differ by what they are padded with: Megatron fills up to a multiple of 128 for each of up to eight tensor ranks. */
const padding = 1024;

export function ofTeacher(stage: Instance): Diagnostic[] {
  const teacher = choiceAt(stage, "objective")?.arguments.get("teacher");
  const [data, student] = [blockAt(stage, "data"), blockAt(stage, "model")];
  if (teacher === undefined || data === null) return [];
  const { value, span } = teacher;
  const slots = { stage: stage.name ?? "", teacher: show(value) };
  const taught = value.kind === "handle" ? blockAt(value.block, "data") : null;
  const named = value.kind === "block" ? blockAt(value.block, "tokenizer") : null;
  // Teacher and student are compared id by id.
  const agrees = taught === null ? named === null || blockAt(data, "tokenizer") === named : sameTokens(taught, data);
  if (!agrees) {
    const related = [{ message: "the student's data", span: valued(stage, "data").span }];
    return [teacherTokenizer(span, slots, { related })];
  }
  const model = teachingModel(value);
  if (model === null || student === null) return [];
  const reasons: string[] = [];
  if (value.kind === "block" && valued(model, "from").value.kind === "none")
    reasons.push("has no weights: no stage trains it here, and it has no `from`");
  const [ids, own] = [numberAt(model, "vocab"), numberAt(student, "vocab") ?? tokenizerConfig(data).vocab];
  if (ids !== null && own !== null && Math.abs(ids - own) > padding)
    reasons.push(`predicts ${ids} different tokens, and the student ${own}`);
  const [reach, context] = [numberAt(model, "context"), numberAt(stage, "context") ?? numberAt(student, "context")];
  if (reach !== null && context !== null && reach < context)
    reasons.push(`reads ${reach} tokens, and the student trains on sequences of ${context}`);
  return reasons.map((why) => teacherUnfit(span, { ...slots, why }));
}
