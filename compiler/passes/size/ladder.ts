/**
 * Shapes that were published, as (non-embedding parameters, width / depth). Loss hardly depends on the ratio over an
 * order of magnitude (Kaplan et al., arXiv 2001.08361, figure 5), and the best one grows with size (Levine et al.,
 * arXiv 2006.12467), so the sizer follows what people built.
 */
const published: readonly (readonly [parameters: number, aspect: number, model: string])[] = [
  [0.8e6, 32, "4 x 128"],
  [4.7e6, 43, "Pythia 31M, 6 x 256"],
  [85e6, 64, "GPT-2 124M, 12 x 768"],
  [1.21e9, 85, "GPT-3 XL and Pythia 1.4B, 24 x 2048"],
  [6.44e9, 128, "LLaMA 7B and GPT-3 6.7B, 32 x 4096"],
  [12.7e9, 128, "LLaMA 13B, 40 x 5120"],
  [64.7e9, 102, "LLaMA 65B, 80 x 8192"],
  [402e9, 130, "Llama 3.1 405B, 126 x 16384"],
];

export interface Aspect {
  readonly ratio: number;
  /** The published shape next to it. */
  readonly like: string;
}

/** The width-to-depth ratio that models of so many non-embedding parameters have, between the published ones. */
export function aspectOf(parameters: number): Aspect {
  const x = Math.log(parameters);
  const at = published.findIndex(([p]) => Math.log(p) >= x);
  const above = published[at] ?? published.at(-1);
  const below = published[at - 1] ?? above;
  if (above === undefined || below === undefined) return { ratio: 64, like: "" };
  const span = Math.log(above[0]) - Math.log(below[0]);
  const t = span === 0 ? 0 : (x - Math.log(below[0])) / span;
  return {
    ratio: Math.exp((1 - t) * Math.log(below[1]) + t * Math.log(above[1])),
    like: (t > 0.5 ? above : below)[2],
  };
}
