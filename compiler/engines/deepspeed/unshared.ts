import type { SequenceRun } from "../engine.ts";

/**
 * Families whose classes hand every layer's attention to the function that Ulysses puts itself in place of, with the positions of the tokens, and
 * name their key-value heads (deepspeed runtime/sequence_parallel/ulysses_sp.py: register_with_transformers). Attention elsewhere would see a
 * rank's own tokens and nothing would say so.
 */
const families: ReadonlySet<string> = new Set([
  "llama",
  "mistral",
  "mixtral",
  "qwen2",
  "qwen3",
  "qwen3_moe",
  "gemma",
  "phi",
  "olmo2",
  "nemotron",
]);

/** Ulysses: ranks trade their part of the tokens for their part of the heads, and masks other than the causal one are dropped. */
export function unshared({ model, sequence, attention }: SequenceRun, ranks: number): readonly string[] {
  const { family, heads, kv_heads, window = 0 } = model;
  if (!families.has(family))
    return [`DeepSpeed does not support the attention of family ${family}, only that of ${[...families].join(", ")}`];
  const said: string[] = [];
  if (window > 0 && window < sequence)
    said.push(`DeepSpeed drops the mask of a sliding window, but layers see only ${window} of ${sequence} tokens`);
  if (attention === "eager") said.push("attention = eager needs a mask of the whole sequence, which DeepSpeed drops");
  if (sequence % ranks !== 0) said.push(`${sequence} tokens are not a multiple of ${ranks}`);
  if (heads % ranks !== 0) said.push(`${heads} heads are not a multiple of ${ranks}`);
  if (kv_heads % ranks !== 0 && ranks % kv_heads !== 0)
    said.push(`${kv_heads} kv_heads are neither a multiple of ${ranks} nor a divisor`);
  return said;
}
