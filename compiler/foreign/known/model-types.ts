import table from "./model-types.json" with { type: "json" };

/** The release of transformers that brought a `model_type`, of those that came after 4.30. */
export const modelTypesSince: ReadonlyMap<string, string> = new Map(
  Object.entries(table.since).flatMap(([release, types]) => types.split(" ").map((type) => [type, release] as const)),
);

/** Families by the names that their publishers gave the weights. Those whose repositories bring code of their own are left out. */
const published: readonly (readonly [named: RegExp, type: string])[] = [
  [/(?:^|\/)mistral-7b/i, "mistral"],
  [/(?:^|\/)mixtral-8x/i, "mixtral"],
  [/(?:^|\/)qwen(?:1\.5|2|2\.5)-(?:math-|coder-)?\d+(?:\.\d+)?b(?!-a\d)/i, "qwen2"],
  [/(?:^|\/)qwen1\.5-moe/i, "qwen2_moe"],
  [/(?:^|\/)qwen2-vl-\d/i, "qwen2_vl"],
  [/(?:^|\/)qwen2\.5-vl-\d/i, "qwen2_5_vl"],
  [/(?:^|\/)qwen2\.5-omni-\d/i, "qwen2_5_omni"],
  [/(?:^|\/)qwen3-\d+(?:\.\d+)?b(?!-a\d)/i, "qwen3"],
  [/(?:^|\/)qwen3-(?:coder-)?\d+b-a\d/i, "qwen3_moe"],
  [/(?:^|\/)qwen3-next-/i, "qwen3_next"],
  [/(?:^|\/)qwen3-vl-\d+b(?!-a\d)/i, "qwen3_vl"],
  [/(?:^|\/)gemma-(?:1\.1-)?[27]b/i, "gemma"],
  [/(?:^|\/)gemma-2-\d/i, "gemma2"],
  [/(?:^|\/)gemma-3-\d/i, "gemma3"],
  [/(?:^|\/)gemma-3n-/i, "gemma3n"],
  [/(?:^|\/)llama-4-(?:scout|maverick)/i, "llama4"],
  [/(?:^|\/)llama-3\.2-\d+b-vision/i, "mllama"],
  [/(?:^|\/)gpt-oss-\d/i, "gpt_oss"],
  [/(?:^|\/)olmo-2-/i, "olmo2"],
  [/(?:^|\/)smollm3-/i, "smollm3"],
  [/(?:^|\/)starcoder2-/i, "starcoder2"],
];

export function modelTypeNamed(name: string): string | null {
  return published.find(([named]) => named.test(name))?.[1] ?? null;
}
