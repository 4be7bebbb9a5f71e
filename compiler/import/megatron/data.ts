/** What a Megatron command line reads, as a `data` block; the stage's raw block names the files themselves. */
import { promptFormats } from "../../engines/megatron/lower/model.ts";
import type { ChatTemplate } from "../../pipeline.ts";
import { block, property, type Block } from "../draft.ts";
import { hasVariable, quotedWithParams } from "../variables.ts";
import { wordsAfter } from "./raw.ts";
import type { Reading } from "./reading.ts";

interface Chat {
  readonly template: ChatTemplate;
  readonly tokenizer: string;
  /** What the stage says of it; `null` where it need not. */
  readonly loss: string | null;
}

/** Conversations, where the launch says of them what a file would. */
export function chatIn({ parsed, used }: Reading): Chat | null {
  const { sft, mock_data, tokenizer_model: name, sft_tokenizer_prompt_format: format } = used;
  const formats = Object.entries(promptFormats) as [ChatTemplate, string][];
  const template = formats.find(([, one]) => one === format)?.[0];
  if (sft !== true || mock_data === true || parsed["tokenizer_type"] !== "SFTTokenizer") return null;
  if (template === undefined || typeof name !== "string" || hasVariable(name)) return null;
  return { template, tokenizer: name, loss: template.startsWith("nemotron") ? "causal(over = answers)" : null };
}

export function dataBlock({ line }: Reading, chat: Chat | null): Block {
  const given = line.given.get("data_path") ?? line.given.get("train_data_path");
  const paths = given === undefined ? [] : wordsAfter(given).filter((word) => Number.isNaN(Number(word)));
  const [first] = paths;
  if (first === undefined)
    return block("data corpus", [
      property("from", "python_stdlib", "no text is named; Megatron reads the data of the raw block"),
    ]);
  const from = paths.length === 1 ? quotedWithParams(first) : `[${paths.map(quotedWithParams).join(", ")}]`;
  if (chat === null) return block("data corpus", [property("from", from)], "Tokens in Megatron's own index.");
  return block(
    "data corpus",
    [
      property("from", from),
      property("format", `chat(template = ${chat.template})`),
      property("tokenizer", `hf(${quotedWithParams(chat.tokenizer)})`),
    ],
    "Conversations, which Megatron reads directly.",
  );
}
