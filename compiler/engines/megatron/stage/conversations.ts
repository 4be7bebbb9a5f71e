/** Conversations: what Megatron makes of them, and `sft` of the raw block beside data that are token ids. */
import type { Diagnostic } from "../../../../dsl/diagnostics/diagnostic.ts";
import { engineConversations } from "../../../diagnostics/engine.ts";
import { engineRawConflict } from "../../../diagnostics/engine-raw.ts";
import type { Conversations, StageStep } from "../../../pipeline.ts";
import type { Rule } from "../../engine.ts";
import { inexpressible } from "../lower/expressible.ts";
import { launchOf } from "../lower/launch.ts";

const engine = "megatron";

export const conversations: Rule = {
  name: "conversations",
  source:
    "megatron/training/datasets/sft_dataset.py: SFTLowLevelDataset; megatron/core/tokenizers/text/libraries/sft_tokenizer.py: tokenize_conversation",
  check: (stage, plan, cluster) => {
    if (stage.conversations !== undefined) return faultsOf(stage, stage.conversations);
    if (inexpressible(plan.model).length > 0) return [];
    const { arguments: all } = launchOf({ stage, plan, cluster });
    const asked = all.find(({ dest, value }) => dest === "sft" && value === true);
    const prepared = all.find(({ dest, from }) => dest === "train_data_path" && from === "data");
    if (asked === undefined || prepared === undefined) return [];
    const slots = {
      ...{ key: "sft", raw: "true", from: "data" },
      derived: "prepared token ids, where it opens JSON lines with messages",
      instead: "`format = chat` in the data",
    };
    return [engineRawConflict(asked.span, slots)];
  },
};

function faultsOf(
  { megatron }: StageStep,
  { template, tokenizer, counts, span, lossSpan }: Conversations,
): Diagnostic[] {
  if (megatron.entry !== undefined)
    return [
      engineConversations(span, {
        engine: "Megatron Bridge",
        why: "its conversation datasets are not supported",
        instead: "`engine = megatron` without `entry`",
      }),
    ];
  if (template === null) {
    const why = "it renders turns with the tokenizer's template, or with one of its own";
    return [engineConversations(span, { engine, why, instead: "`template = …` for `turn`" })];
  }
  const isMade = tokenizer.kind === "bytes" || tokenizer.kind === "bpe";
  if (template === "tokenizer" && isMade) {
    const why = `a tokenizer of ${tokenizer.kind} has no chat template`;
    return [
      engineConversations(span, { engine, why, instead: "`template = contents`, or a tokenizer that has one" }),
    ];
  }
  const counted = template.startsWith("nemotron") ? "answers" : "all";
  if (counts === counted) return [];
  const why =
    counted === "answers"
      ? `its loss counts only the answers where \`template = ${template}\``
      : `its loss counts every token where \`template = ${template}\``;
  return [engineConversations(lossSpan, { engine, why, instead: `\`loss = causal(over = ${counted})\`` })];
}
