/** Published weights on the tokens of another tokenizer. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { weightsTokenizer } from "../../diagnostics/artefacts.ts";
import { dataVocabValue, makerOf } from "../../kinds/tokenizer-derived.ts";
import { blockAt, choiceAt, numberAt, numberOf, textAt, valued } from "../resolve/read.ts";

/** Rows that no token has: published models pad their tables by 2.4 % at most (DeepSeek-V2, 102,400 rows for 100,015 tokens). */
const padding = 0.05;

export function ofWeights(stage: Instance, model: Instance, data: Instance): Diagnostic[] {
  const why = whyForeign(model, data);
  if (why === null) return [];
  const slots = { stage: stage.name ?? "", model: model.name ?? "", from: textAt(model, "from") ?? "" };
  const related = [{ message: "the weights", span: valued(model, "from").span }];
  return [weightsTokenizer(valued(stage, "data").span, { ...slots, data: data.name ?? "", why }, { related })];
}

function whyForeign(model: Instance, data: Instance): string | null {
  const shared = blockAt(data, "tokenizer");
  const maker = shared === null ? choiceAt(data, "tokenizer") : makerOf(shared);
  if (maker?.name === "bpe") return "it is learned here";
  const [rows, ids] = [numberAt(model, "vocab"), numberOf(dataVocabValue(data))];
  if (rows === null || ids === null || ids >= (1 - padding) * rows) return null;
  return `it has ${ids.toLocaleString("en-US")} tokens, and they ${rows.toLocaleString("en-US")}`;
}
