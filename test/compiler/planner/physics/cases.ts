/** Models and layouts that the tests of the physics share. */
import { alone } from "../../../../compiler/planner/physics/layout.ts";
import type { Machine } from "../../../../compiler/planner/physics/machine.ts";
import type { Block, Shape } from "../../../../compiler/planner/physics/shape.ts";

export { alone as plain };

/** GPT of a depth and width, 128 wide heads unless said. */
export function gpt(layers: number, hidden: number, heads: number, vocab = 51_200): Shape {
  const block: Block = {
    attention: { heads, kv_heads: heads, head_dim: hidden / heads },
    ffn: { width: 4 * hidden, gated: false },
  };
  return {
    hidden,
    vocab,
    tied: true,
    positions: 2048,
    norm: 2,
    bias: true,
    qk_norm: false,
    dropout: true,
    blocks: Array.from({ length: layers }, () => block),
  };
}

export const gpt3 = gpt(96, 12_288, 96);

export const round: Machine = {
  gpu: "round",
  memory: 100e9,
  bandwidth: 1e12,
  flops: { fp32: 1e13, bf16: 1e14, fp16: 1e14, fp8: 2e14, fp4: 4e14 },
  processors: 100,
  domain: 8,
  link: 100e9,
  network: 10e9,
};
