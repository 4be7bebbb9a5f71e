import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { isPresent } from "../../../dsl/eval/declarations/lookup.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Context } from "../../../dsl/eval/context.ts";
import type { BlockSymbol } from "../../../dsl/symbols/symbol.ts";
import { vocabSeveral } from "../../diagnostics/size.ts";
import { blockAt, given, valued } from "../../passes/resolve/read.ts";
import { tokenizerConfig } from "../../passes/resolve/tokenizer.ts";
import type { Given } from "../../pipeline.ts";

/** The vocabulary of the data that stages train a model on, where it names no tokenizer of its own; two of them are an error. */
export function trainedVocab(
  model: Instance,
  report: (diagnostic: Diagnostic) => void = model.context.report,
): Given<number> | null | "several" {
  const found = stagesOf(model).flatMap((stage) => {
    const data = blockAt(stage, "data");
    const vocab = data === null ? null : tokenizerConfig(data).vocab;
    return data === null || vocab === null ? [] : [{ stage, vocab: given(vocab, valued(data, "tokenizer")) }];
  });
  const [first] = found;
  const other = found.find(({ vocab }) => vocab.value !== first?.vocab.value);
  if (first === undefined) return null;
  if (other === undefined) return first.vocab;
  const say = ({ stage, vocab }: typeof first) => `${stage.name ?? "stage"} (${vocab.value})`;
  const related = [{ message: "the other stage", span: other.stage.span }];
  report(vocabSeveral(model.span, { model: model.name ?? "", first: say(first), second: say(other) }, { related }));
  return "several";
}

/** The stages that train a model. */
export function stagesOf(model: Instance): Instance[] {
  const { context } = model;
  return stageSymbols(context.modules).flatMap((symbol) => {
    const stage = context.instanceOf(symbol);
    const names = stage !== null && (stage.values.has("model") || stage.values.has("from"));
    const isReal = names && !stage.abstract && isPresent(stage);
    return isReal && blockAt(stage, "model") === model ? [stage] : [];
  });
}

const declared = new WeakMap<Context["modules"], readonly BlockSymbol[]>();

/** Each model asks, and most of what files declare is no stage. */
function stageSymbols(modules: Context["modules"]): readonly BlockSymbol[] {
  const known = declared.get(modules);
  if (known !== undefined) return known;
  const found = [...modules.values()].flatMap((module) =>
    [...module.names.values()].filter(
      (symbol): symbol is BlockSymbol =>
        symbol.kind === "block" && symbol.module === module && symbol.node.head[0].text === "stage",
    ),
  );
  declared.set(modules, found);
  return found;
}
