/** How badly a shape is cut into equal parts, on the scale of the sizer's score. */
import type { Shape } from "../../models/family.ts";

/**
 * Kernels want heads whose width is a multiple of 8 (NVIDIA, Matrix Multiplication Background User's Guide). Tensor-parallel ranks have
 * as many heads each, up to 4 in a small model and 8 in a large one (Megatron-LM, arXiv 1909.08053, section 3), and stages of a pipeline
 * as many layers (Narayanan et al. 2021, arXiv 2104.04473, section 2.2).
 */
export function unevenness({ layers, d_model, heads, kv_heads, head_dim }: Shape): number {
  const ranks = ranksFor(d_model);
  const stages = layers >= 20 ? 4 : layers >= 8 ? 2 : 1;
  return (
    (head_dim % 8 === 0 ? 0 : 0.5) +
    oddness(heads, ranks) +
    // Few key-value heads are copied, not cut.
    (kv_heads <= 2 ? 0 : oddness(kv_heads, Math.min(4, ranks)) / 2) +
    oddness(layers, stages)
  );
}

/** Tensor-parallel ranks that a model of a width may be asked to run on. */
const ranksFor = (dModel: number): number => (dModel >= 4096 ? 8 : dModel >= 1024 ? 4 : dModel >= 512 ? 2 : 1);

/** For each halving that does not come out even. */
function oddness(value: number, parts: number): number {
  let penalty = 0;
  for (let n = parts; n > 1 && value % n !== 0; n /= 2) penalty += 0.25;
  return penalty;
}
