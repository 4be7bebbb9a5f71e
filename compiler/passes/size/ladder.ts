/**
 * How deep a model of a width is. Loss hardly depends on the ratio over an order of magnitude (Kaplan et al., arXiv
 * 2001.08361, figure 5), and the best one grows with size (Levine et al., arXiv 2006.12467), so the sizer follows what
 * people built: a family's own published shapes, or those of Transformers at large.
 */
import type { Family, Rung } from "../../models/family.ts";

const published: readonly Rung[] = [
  [4, 128, "4 x 128"],
  [6, 256, "Pythia 31M"],
  [12, 768, "GPT-2 124M and GPT-3 Small"],
  [24, 2048, "GPT-3 XL and Pythia 1.4B"],
  [32, 4096, "LLaMA 7B and GPT-3 6.7B"],
  [40, 5120, "LLaMA 13B and GPT-3 13B"],
  [80, 8192, "LLaMA 65B"],
  [96, 12288, "GPT-3 175B"],
  [126, 16384, "Llama 3.1 405B"],
];

export interface Depth {
  readonly layers: number;
  /** The published shape next to it. */
  readonly like: string;
}

/** The depth of a width, between the published shapes; the ratio of width to depth stays what it is beyond them. */
export function depthOf(family: Family, width: number): Depth {
  const rungs = family.ladder ?? published;
  const at = rungs.findIndex(([, d]) => d >= width);
  const above = rungs[at] ?? rungs.at(-1);
  const below = rungs[at - 1] ?? above;
  if (above === undefined || below === undefined) return { layers: 1, like: "" };
  const name = ([layers, d, text]: Rung): string => `${text} (${layers} x ${d})`;
  const span = Math.log(above[1] / below[1]);
  if (span === 0) return { layers: (above[0] * width) / above[1], like: name(above) };
  const t = Math.log(width / below[1]) / span;
  return { layers: below[0] * (above[0] / below[0]) ** t, like: name(t > 0.5 ? above : below) };
}
