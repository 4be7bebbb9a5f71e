import { divisors } from "../planner/divisors.ts";

/**
 * Heads of about `width` for a model of `dModel`: the divisor that comes nearest, with a width that is a multiple of 8 for the
 * kernels, or even, which rotary positions need. Narrow models take heads of 32, as Pythia's 14M and 31M do.
 */
export function headsOf(dModel: number, width: number): number {
  const target = dModel <= 256 ? Math.min(width, 32) : width;
  const even = divisors(dModel).filter((heads) => (dModel / heads) % 2 === 0);
  const aligned = even.filter((heads) => (dModel / heads) % 8 === 0);
  const fit = aligned.length > 0 ? aligned : even;
  const distance = (heads: number): number => Math.abs(Math.log(dModel / heads / target));
  return fit.reduce((best, heads) => (distance(heads) < distance(best) ? heads : best), fit[0] ?? 1);
}
