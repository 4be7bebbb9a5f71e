/** Bytes that the head and the loss hold beside activations while the loss runs backward. */
import type { Engine } from "./engine.ts";
import type { Layout } from "./layout.ts";
import type { Shape } from "./shape.ts";

/**
 * Logits as the engine keeps them, of all tokens or of one chunk of them. A chunk's gradients are made at once, in the forward pass: what
 * stays is the gradient of the head's input and, beside the one that is accumulated, that of its table.
 */
export function lossBytes(
  { hidden }: Shape,
  tokens: number,
  padded: number,
  { tensor }: Layout,
  { logits, chunked, stream = 2 }: Engine,
): number {
  const rows = padded / tensor;
  if (chunked === undefined) return logits * tokens * rows;
  const chunk = Math.min(tokens, chunkOf(tokens, padded, hidden, chunked));
  return logits * chunk * rows + stream * hidden * (tokens + rows);
}

/**
 * Liger cuts tokens so that a chunk's logits are no larger than the head's input, to a power of two (liger_kernel,
 * ops/fused_linear_cross_entropy.py); a number says how many chunks there are.
 */
function chunkOf(tokens: number, vocab: number, hidden: number, chunks: "by-width" | number): number {
  if (chunks !== "by-width") return Math.ceil(tokens / chunks);
  return 2 ** Math.ceil(Math.log2(Math.ceil(tokens / Math.ceil(vocab / hidden))));
}
