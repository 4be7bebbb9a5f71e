/** How badly a shape is cut into equal parts, on the scale of the sizer's score. */
import { publishedHeads, ranksFor, splitsWidth } from "../../models/heads.ts";
import type { Family, Shape } from "../../models/family.ts";
import { indivisible } from "../../planner/splits.ts";
import type { Slope } from "./slope.ts";

/** What ranks or stages that are named cannot share out does not start: it is drawn where nothing within thrice the depth is. */
const unstartable = 10;

/** For a width off the family's rule: a simple ratio comes before a count that is nearer. */
const off = 0.002;

/**
 * Kernels want heads whose width is a multiple of 8 (NVIDIA, Matrix Multiplication Background User's Guide). Tensor-parallel ranks have
 * as many heads each, up to 4 in a small model and 8 in a large one (Megatron-LM, arXiv 1909.08053, section 3), and stages of a pipeline
 * as many layers (Narayanan et al. 2021, arXiv 2104.04473, section 2.2).
 */
export const uneven = {
  width: (family: Family, { d_model, heads, kv_heads, head_dim }: Shape): number => {
    const ranks = ranksFor(d_model);
    // Where heads say nothing of the width, it comes in parts all the same: 5120, 6144 and 7168 are published, 5376 hardly.
    const parts = heads === 0 || splitsWidth(family, { head_dim }) ? 0 : 0.15 * oddness(d_model / 128, ranks);
    return parts + head(heads, head_dim, d_model) + oddness(heads, ranks) + ungrouped(kv_heads, ranks);
  },
  /** What tensor-parallel ranks that are named cannot share out is drawn where nothing else is. */
  ranks: (shape: Shape, ranks: number): number => (indivisible(shape, ranks).length > 0 ? unstartable : 0),
  /**
   * Experts come in whole tiles, and in numbers that the 8 to 64 ranks of published runs share: 64 experts of 1408 and 256 of 2048 (DeepSeek-V2
   * and V3, arXiv 2405.04434 and 2412.19437), 128 of 768 (Qwen3, arXiv 2505.09388).
   */
  experts: (inner: number, count: number): number =>
    oddness(inner / 16, inner >= 512 ? 4 : 2) +
    0.4 * oddness(count, count >= 128 ? 32 : count >= 64 ? 16 : count >= 16 ? 8 : 4),
  /**
   * A feed-forward width by the family's rule is worth a little, and so is another in whole tiles of tensor cores on each of the ranks that are named. A
   * wide one is published in tiles of 128 for 8 ranks: 14336, 28672 and 53248 (Llama 3, arXiv 2407.21783, table 3), 12288, 17408 and 25600
   * (Qwen3, arXiv 2505.09388), 24576 and 73728 (Nemotron-4).
   */
  moved: ({ knob, ruled, width: dModel }: Slope, width: number, ranks = 1): number =>
    off +
    (knob === "d_ff" && ruled >= 4096
      ? 0.03 * oddness(width / 128, Math.max(ranksFor(dModel), ranks))
      : 0.08 * oddness(width / ranks / 8, 8)),
  depth: (layers: number, stages = 1): number =>
    oddness(layers, stagesFor(layers)) + (layers % stages === 0 ? 0 : unstartable),
};

/** Stages that a model of a depth may be asked to run on. */
export const stagesFor = (layers: number): number => (layers >= 20 ? 4 : layers >= 8 ? 2 : 1);

/** Widths that nobody publishes come after all others, those in whole tiles of tensor cores (16) first. A narrow model has more than one or two heads. */
function head(heads: number, width: number, dModel: number): number {
  if (heads === 0) return 0;
  const untiled = (width % 8 === 0 ? 0 : 0.5) + (width < 16 ? 1 : 0) + (width > 48 && width % 16 !== 0 ? 0.25 : 0);
  return untiled + (publishedHeads.has(width) ? 0 : 0.75) + (dModel <= 256 && width > 64 ? 0.5 : 0);
}

/** For each halving that does not come out even. */
function oddness(value: number, parts: number): number {
  let penalty = 0;
  for (let n = parts; n > 1 && value % n !== 0; n /= 2) penalty += 0.25;
  return penalty;
}

/** Ranks hold equally many key-value heads, or equally many ranks share one. */
function ungrouped(kvHeads: number, ranks: number): number {
  let penalty = 0;
  for (let n = ranks; n > 1 && kvHeads % n !== 0 && n % kvHeads !== 0; n /= 2) penalty += 0.25;
  return penalty;
}
