import type { Layout } from "./layout.ts";
import type { Experts } from "./shape.ts";

/** How even a router is, and what becomes of the tokens that are too many. */
export interface Routing {
  /** Tokens of a layer's fullest expert over an even share, less one, where tokens choose six of 64. */
  readonly excess: number;
  /** Tokens that an expert takes at most, over an even share. */
  readonly capacity?: number;
  /** What is missing to that number is padded. */
  readonly padded?: boolean;
}

/**
 * Tokens of the fullest rank over an even share, in sums over `layers` layers. Tokens choose `k` of `E` experts as if each were as likely, so an
 * expert's share deviates by the root of `E / k - 1`: the fewer they choose from, the evener they come. A rank's experts and layers that are
 * added up deviate by the root of their number less, and what one expert has too much the others have too little (their covariance is
 * `-1 / (E - 1)`). A step waits for each layer's fullest rank by itself, memory holds all of them.
 */
export function loadOf(
  routing: Routing | undefined,
  { experts, top_k }: Pick<Experts, "experts" | "top_k">,
  { expert }: Pick<Layout, "expert">,
  layers: number,
): number {
  if (routing === undefined) return 1;
  const { excess, capacity = Infinity, padded } = routing;
  if (padded === true && capacity < Infinity) return capacity;
  const share = spreadOf(experts, top_k, expert) / spreadOf(measured.experts, measured.top_k, measured.experts);
  return Math.min(1 + (excess * share) / Math.sqrt(Math.max(1, layers)), capacity);
}

/** The models whose fullest experts were counted. */
const measured = { experts: 64, top_k: 6 };

function spreadOf(experts: number, top_k: number, ranks: number): number {
  if (experts <= top_k) return 0;
  return Math.sqrt(((experts / top_k - 1) * Math.min(ranks, experts)) / (experts - 1)) * fullest(ranks);
}

/**
 * How many deviations the largest of `n` normal values lies above their mean: the quantile of `(n - 3/8) / (n + 1/4)` (Blom 1958), by the
 * rational approximation 26.2.23 of Abramowitz and Stegun.
 */
function fullest(n: number): number {
  const t = Math.sqrt(-2 * Math.log(0.625 / (n + 0.25)));
  const above = 2.515517 + t * (0.802853 + t * 0.010328);
  return Math.max(0, t - above / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
}
