import type { Origin } from "../../../dsl/eval/origin.ts";
import type { Bound, Given } from "../../pipeline.ts";
import { admits } from "./bounds.ts";

/** Rows that a table may have beyond its tokens, as a share of them. */
const room = 0.01;
const [finest, ...coarser] = [8, 64, 128] as const;

/**
 * Rows of the table of a model that is drawn: as the published ones have it, a multiple of 128 (Llama 3 128,256, Qwen 151,936, DeepSeek-V3 129,280, Pythia
 * 50,304 for 50,277 tokens), which is Megatron's default too. Where that were more than a hundredth, of less, but at least of what tensor cores take.
 */
export function tableFor(tokens: Given<number>, bound: Bound | undefined): Given<number> {
  const { value } = tokens;
  const padded = (step: number): number => Math.ceil(value / step) * step;
  const step = coarser.findLast((each) => padded(each) <= (1 + room) * value) ?? finest;
  if (padded(step) === value || !admits(bound, padded(step))) return tokens;
  const origin: Origin = {
    kind: "chosen",
    by: "sizer",
    reason: `${value} tokens of the tokenizer, rounded up to a multiple of ${step} for products in whole tiles (Megatron-LM, --make-vocab-size-divisible-by; NVIDIA, Matrix Multiplication Background User's Guide)`,
  };
  return { ...tokens, value: padded(step), origin };
}
