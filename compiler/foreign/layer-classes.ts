import { documentsOf, type Launch } from "./launch.ts";
import { at, scalarOf } from "./located.ts";
import { textIn, toldIn } from "./settings.ts";
import type { Span } from "../../dsl/source/source.ts";

/** The class of a family's layer, by `model_type`. Source: `_no_split_modules` of transformers/models/. */
const layers: Readonly<Record<string, readonly string[]>> = {
  bert: ["BertLayer"],
  bloom: ["BloomBlock"],
  deepseek_v3: ["DeepseekV3DecoderLayer"],
  "deberta-v2": ["DebertaV2Layer"],
  distilbert: ["TransformerBlock"],
  electra: ["ElectraLayer"],
  falcon: ["FalconDecoderLayer"],
  gemma: ["GemmaDecoderLayer"],
  gemma2: ["Gemma2DecoderLayer"],
  gemma3_text: ["Gemma3DecoderLayer"],
  gpt2: ["GPT2Block"],
  gpt_bigcode: ["GPTBigCodeBlock"],
  gpt_neo: ["GPTNeoBlock"],
  gpt_neox: ["GPTNeoXLayer"],
  gptj: ["GPTJBlock"],
  llama: ["LlamaDecoderLayer"],
  mistral: ["MistralDecoderLayer"],
  mixtral: ["MixtralDecoderLayer"],
  mpt: ["MptBlock"],
  olmo2: ["Olmo2DecoderLayer"],
  opt: ["OPTDecoderLayer"],
  phi: ["PhiDecoderLayer"],
  phi3: ["Phi3DecoderLayer"],
  qwen2: ["Qwen2DecoderLayer"],
  qwen2_moe: ["Qwen2MoeDecoderLayer"],
  qwen3: ["Qwen3DecoderLayer"],
  qwen3_moe: ["Qwen3MoeDecoderLayer"],
  roberta: ["RobertaLayer"],
  t5: ["T5Block"],
  vit: ["ViTLayer"],
  "xlm-roberta": ["XLMRobertaLayer"],
};

export const layerClasses: readonly string[] = Object.values(layers).flat();

/** Names of published models begin with their family. Longer names first. */
const named: readonly (readonly [RegExp, string])[] = [
  [/xlm-roberta/i, "xlm-roberta"],
  [/roberta/i, "roberta"],
  [/distilbert/i, "distilbert"],
  [/(?:^|\/)bert-/i, "bert"],
  [/(?:^|\/)gpt2/i, "gpt2"],
  [/llama/i, "llama"],
  [/mixtral/i, "mixtral"],
  [/mistral/i, "mistral"],
  [/bloom/i, "bloom"],
  [/(?:^|\/)opt-/i, "opt"],
  [/(?:^|\/)(?:flan-)?t5/i, "t5"],
];

/** The layers of the model that is trained, where files say which. */
export function layersOf(
  launch: Launch,
): { readonly type: string; readonly classes: readonly string[]; readonly span: Span } | null {
  for (const { root } of documentsOf(launch, "model")) {
    const type = scalarOf(at(root, "model_type"));
    const classes = layers[String(type)];
    if (classes !== undefined)
      return { type: String(type), classes, span: at(root, "model_type")?.span ?? root.span };
  }
  for (const settings of [launch.trainer, ...launch.runs.map(({ options }) => options)]) {
    if (settings === null) continue;
    const told = toldIn(settings, "model_name_or_path", "base_model", "model_name", "model");
    const name = textIn(settings, "model_name_or_path", "base_model", "model_name", "model");
    const type = name === null ? undefined : named.find(([shape]) => shape.test(name))?.[1];
    if (type !== undefined && told !== undefined) return { type, classes: layers[type] ?? [], span: told.span };
  }
  return null;
}
