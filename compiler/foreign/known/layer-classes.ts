import { documentsOf, type Launch } from "../launch.ts";
import { at, scalarOf } from "../documents/located.ts";
import { modelTypeNamed } from "./model-types.ts";
import { textIn, toldIn } from "../settings.ts";
import type { Span } from "../../../dsl/source/source.ts";

/** The class of a family's layer, by `model_type`. Source: `_no_split_modules` of transformers/models/. */
const layers: Readonly<Record<string, readonly string[]>> = {
  bert: ["BertLayer"],
  bloom: ["BloomBlock"],
  chatglm: ["GLMBlock"],
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

/** Names that their publishers gave the weights of these families. What is called nearly so may be another model. */
const named: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)xlm-roberta-(?:base|large)/i, "xlm-roberta"],
  [/(?:^|\/)(?:distil)?roberta-(?:base|large)/i, "roberta"],
  [/(?:^|\/)distilbert-base/i, "distilbert"],
  [/(?:^|\/)bert-(?:base|large)/i, "bert"],
  [/(?:^|\/)gpt2(?:-(?:medium|large|xl))?$/i, "gpt2"],
  [/(?:^|\/)chatglm[23]-6b/i, "chatglm"],
  [/(?:^|\/)(?:meta-|code|open_)?llama[-_]?(?:v?[23](?:\.\d)?[-_])?\d+b/i, "llama"],
  [/(?:^|\/)tinyllama[-_]1\.1b/i, "llama"],
  [/(?:^|\/)bloomz?-\d/i, "bloom"],
  [/(?:^|\/)opt-\d/i, "opt"],
  [/(?:^|\/)(?:flan-)?t5-(?:small|base|large|xl|xxl|\d+b)$/i, "t5"],
];

const typeOf = (name: string): string | undefined =>
  modelTypeNamed(name) ?? named.find(([shape]) => shape.test(name))?.[1];

/** Parts of a model besides its layers, which may be wrapped as well. */
const parts =
  /^(?:Model|For[A-Z]\w*|\w*(?:MLP|Mlp|Attention\d?|Norm|Moe\w*|MoE\w*|Experts?|Router|Embeddings?|Encoder|Decoder|Stack|Pooler|Output|LayerFF))$/;

/** May a model with these layers have such a class? Its own names all begin alike. */
export function isPart(name: string, classes: readonly string[]): boolean {
  if (["Embedding", "Linear", "LayerNorm", "Conv1D"].includes(name)) return true;
  return classes.some((each) => {
    const family = each.replace(/(?:Decoder|Transformer)?(?:Layer|Block)$/, "");
    return name.startsWith(family) && parts.test(name.slice(family.length));
  });
}

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
    const type = name === null ? undefined : typeOf(name);
    const classes = type === undefined ? undefined : layers[type];
    if (type !== undefined && classes !== undefined && told !== undefined) return { type, classes, span: told.span };
  }
  return null;
}
