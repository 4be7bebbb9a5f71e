/** How big a model a budget pays for. */

/** Tokens for each parameter at which a budget is spent best (Hoffmann et al., arXiv 2203.15556, table 3). */
export const optimalRatio = 20;

/** Share of the peak that large runs reach: 38 to 43 % (Llama 3, arXiv 2407.21783, table 4). */
export const usualUse = 0.4;

/** As far as the plan of what a budget pays for may be off it. */
export const near = 0.01;

/** So many parameters that the tokens are `ratio` for each. */
export const parametersForTokens = (tokens: number, ratio: number): number => tokens / ratio;

/** Training costs 6 FLOPs a parameter and token (Kaplan et al., arXiv 2001.08361, section 2.1): `C = 6 N (ratio N)`. */
export const parametersForCompute = (flops: number, ratio: number): number => Math.sqrt(flops / (6 * ratio));

/** The same of a training on so many tokens: `C = 6 N D`. */
export const parametersForLength = (flops: number, tokens: number): number => flops / (6 * tokens);
