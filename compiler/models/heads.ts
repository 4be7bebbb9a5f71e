import { divisors } from "../planner/divisors.ts";
import type { Family } from "./family.ts";

/**
 * How wide published heads are: GPT-3 (arXiv 2005.14165, table 2.1) 64, 80, 96 and 128, Pythia (arXiv 2304.01373, table 1) 32, 64, 80, 128 and 256,
 * Gemma (arXiv 2403.08295, table 1) 256, DeepSeek-V3's queries (arXiv 2412.19437, section 4.2) 192; narrower ones in models of toys.
 */
export const publishedHeads: ReadonlySet<number> = new Set([16, 24, 32, 40, 48, 64, 80, 96, 128, 192, 256]);

/** What a width that nobody publishes has to be nearer by than one that somebody does. */
const unusual = Math.log(1.6);

/**
 * Heads of about `width` for a model of `dModel`: the divisor that comes nearest, published widths first, with a width that is a multiple
 * of 8 for the kernels, or even, which rotary positions need. Narrow models take heads of 32, as Pythia's 14M and 31M do. Key-value heads
 * that are known each serve as many of them.
 */
export function headsOf(dModel: number, width: number, kvHeads = 1): number {
  const target = dModel <= 256 ? Math.min(width, 32) : width;
  const all = divisors(dModel).filter((heads) => (dModel / heads) % 2 === 0);
  const shared = all.filter((heads) => heads % kvHeads === 0);
  const even = shared.length > 0 ? shared : all;
  const aligned = even.filter((heads) => (dModel / heads) % 8 === 0);
  const fit = aligned.length > 0 ? aligned : even;
  const distance = (heads: number): number =>
    Math.abs(Math.log(dModel / heads / target)) + (publishedHeads.has(dModel / heads) ? 0 : unusual);
  return fit.reduce((best, heads) => (distance(heads) < distance(best) ? heads : best), fit[0] ?? 1);
}

/** Tensor-parallel ranks that a model of a width may be asked to run on (Megatron-LM, arXiv 1909.08053, section 3). */
export const ranksFor = (dModel: number): number => (dModel >= 4096 ? 8 : dModel >= 1024 ? 4 : dModel >= 512 ? 2 : 1);

/**
 * About so many heads that need not divide the width: as many as ranks share out evenly, each key-value head with as many queries. As nothing else
 * asks for their number, it is one for 16 ranks below 4096, too: 64 of gpt-oss (2880), 16 and 32 of Qwen3 (1024 to 2560) and Gemma 2.
 */
export function ownHeadsOf(dModel: number, wanted: number, kvHeads = 1): number {
  const parts = dModel >= 1024 && dModel < 4096 ? 16 : ranksFor(dModel);
  const distance = (heads: number): number => {
    let uneven = 0;
    for (let ranks = parts; ranks > 1 && heads % ranks !== 0; ranks /= 2) uneven++;
    return Math.abs(Math.log(heads / wanted)) + 0.15 * uneven;
  };
  const most = Math.ceil((2 * wanted) / kvHeads);
  let [best, least] = [kvHeads, distance(kvHeads)];
  for (let heads = 2 * kvHeads; heads <= most * kvHeads; heads += kvHeads) {
    const far = distance(heads);
    if (far < least) [best, least] = [heads, far];
  }
  return best;
}

/** Whether heads share the width of the model: they do unless their own is written or the family's, and always where the class asks for it. */
export const splitsWidth = (family: Family, { head_dim }: { readonly head_dim?: number }): boolean =>
  family.evenHeads === true || !Number.isInteger(head_dim) || isShare(family);

/** A family whose heads have no width but their share of the model's. */
export const isShare = ({ fixed, defaults }: Family): boolean =>
  fixed.head_dim === "derived" && defaults["mla.nope_dim"] === undefined;
