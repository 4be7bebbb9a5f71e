import type { Layout } from "./layout.ts";
import type { Experts } from "./shape.ts";

/** How even a router is, and what becomes of the tokens that are too many. */
export interface Routing {
  /** Tokens of a layer's fullest expert over an even share, less one. */
  readonly excess: number;
  /** Tokens that an expert takes at most, over an even share. */
  readonly capacity?: number;
  /** What is missing to that number is padded. */
  readonly padded?: boolean;
}

/**
 * Tokens of the fullest rank over an even share, in sums over `layers` layers. Loads of experts as if independent: of `E` the
 * fullest lies `sqrt(2 ln E)` deviations above the mean, of `e` ranks `sqrt(2 ln e)`, and the deviation of a sum falls with the root
 * of its terms: of a rank's experts, and of layers that are added up. A step waits for each layer's fullest rank by itself, memory
 * holds all of them.
 */
export function loadOf(
  routing: Routing | undefined,
  { experts }: Pick<Experts, "experts">,
  { expert }: Pick<Layout, "expert">,
  layers: number,
): number {
  if (routing === undefined) return 1;
  const { excess, capacity = Infinity, padded } = routing;
  if (padded === true && capacity < Infinity) return capacity;
  const terms = Math.max(1, experts / expert) * Math.max(1, layers);
  const uneven = experts > 1 ? 1 + excess * Math.sqrt(Math.log(expert) / (terms * Math.log(experts))) : 1;
  return Math.min(uneven, capacity);
}
