/** What one engine carries out and the others do not. */
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { tokenizerChoice } from "../../kinds/tokenizer.ts";
import { chatOf, countsAnswers } from "../resolve/conversations.ts";
import { publishedWeights } from "../resolve/hub.ts";
import { blockAt, choiceAt, valued } from "../resolve/read.ts";
import type { CarriedOut, View } from "./view.ts";

/** Megatron takes weights in its own format alone. */
export function weightsNotRun(stage: Instance, carriedOut: CarriedOut): View["findings"] {
  const model = carriedOut === "all" ? blockAt(stage, "model") : null;
  if (model === null || publishedWeights(model) === null || valued(stage, "from").value.kind === "handle") return [];
  return [{ span: valued(model, "from").span, what: "`from` of its model with `engine = megatron`" }];
}

/** What Megatron needs of the tokenizer of conversations, which it opens by its name. */
const namesOfTokenizer: ReadonlySet<string> = new Set(["name", "vocab"]);

function tokenizerNotRun(data: Instance): View["findings"] {
  const tokenizer = chatOf(data) === null ? null : choiceAt(data, "tokenizer");
  if (tokenizer?.name !== "hf") return [];
  const runs = (name: string): boolean => tokenizerChoice.constructors["hf"]?.parameters[name]?.runs !== false;
  return [...tokenizer.arguments]
    .filter(([name, { origin }]) => !namesOfTokenizer.has(name) && runs(name) && origin.kind !== "default")
    .map(([name, { span }]) => ({ span, what: `\`${name}\` of \`hf\` for conversations` }));
}

/** Only Megatron trains on conversations, and nobody else knows an answer from a question. */
export function conversationsNotRun(instance: Instance, carriedOut: CarriedOut): View["findings"] {
  if (instance.kind.name === "data") return tokenizerNotRun(instance);
  const data = "data" in instance.kind.properties ? blockAt(instance, "data") : null;
  const isChat = data !== null && chatOf(data) !== null;
  if (isChat && carriedOut === "all") return [];
  const loss = instance.kind.name === "stage" ? valued(instance, "loss") : null;
  return [
    ...(isChat ? [{ span: valued(instance, "data").span, what: "`format = chat` without `engine = megatron`" }] : []),
    ...(loss !== null && countsAnswers(loss) ? [{ span: loss.span, what: "`over = answers`" }] : []),
  ];
}
