/** The model that a stage learns from. */
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Value } from "../../../dsl/types/value.ts";
import type { Given, StageStep } from "../../pipeline.ts";
import { modelRequest } from "./model.ts";
import { blockAt, choiceAt } from "./read.ts";

/** It reads the student's tokens, or is told that it does not. */
export function teacherOf(stage: Instance, vocab: Given<number> | null): Pick<StageStep, "teacher"> {
  const teacher = choiceAt(stage, "objective")?.arguments.get("teacher");
  const model = teacher === undefined ? null : teachingModel(teacher.value);
  const request = model === null ? null : modelRequest(model, vocab);
  return request === null ? {} : { teacher: request };
}

export const teachingModel = (value: Value): Instance | null =>
  value.kind === "handle" ? blockAt(value.block, "model") : value.kind === "block" ? value.block : null;
