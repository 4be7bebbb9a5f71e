/** What a stage trains on where its data are conversations. */
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { ChoiceValue, FormulaTree, Valued } from "../../../dsl/types/value.ts";
import type { ChatTemplate, Conversations } from "../../pipeline.ts";
import { argument, choiceAt, textOf, valued } from "./read.ts";
import { tokenizerConfig } from "./tokenizer.ts";

/** `format = chat(…)` of a data block. */
export function chatOf(data: Instance): ChoiceValue | null {
  if (data.kind.name !== "data") return null;
  const format = choiceAt(data, "format");
  return format?.name === "chat" ? format : null;
}

export function conversationsOf(stage: Instance, data: Instance): Conversations | null {
  const chat = chatOf(data);
  if (chat === null) return null;
  const loss = valued(stage, "loss");
  return {
    template: templateOf(chat),
    tokenizer: tokenizerConfig(data),
    span: valued(data, "format").span,
    counts: countsAnswers(loss) ? "answers" : "all",
    lossSpan: loss.origin.kind === "default" ? stage.span : loss.span,
  };
}

/** `null` where the file says by itself how turns are written out. */
export const templateOf = (chat: ChoiceValue): ChatTemplate | null =>
  argument(chat, "turn")?.kind === "formula" ? null : (textOf(argument(chat, "template")) as ChatTemplate);

/** A loss that leaves out what is no answer. */
export const countsAnswers = ({ value }: Valued): boolean => value.kind === "formula" && answersIn(value.tree);

function answersIn(tree: FormulaTree): boolean {
  if (tree === null || typeof tree !== "object") return false;
  if (Array.isArray(tree)) return tree.some(answersIn);
  if ("op" in tree) return tree.of.some(answersIn);
  return "name" in tree && tree.with?.["over"] === "answers";
}
