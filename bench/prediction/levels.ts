/** What fits of memory and of time have in common: how much rows say, and how far off a fit is. */
import { quantile } from "./score.ts";

/** Fewer rows say too little of a constant. */
export const enough = 6;
/** From here on rows can tell how a program waits, and what grows with a model from what does not. */
export const many = 100;

/** Whose constants a fit is after: all engines', one engine's on all its machines, or one engine's on one machine. */
export type Level = "all" | "engine" | "machine";

export const typical = (residuals: readonly number[]): number =>
  quantile(
    residuals.map(Math.abs).sort((a, b) => a - b),
    0.5,
  );

/** Such that another one lies within it four times of five: of few residuals the largest. */
export function interval(residuals: readonly number[]): number {
  const sizes = residuals.map(Math.abs).sort((a, b) => a - b);
  return sizes[Math.min(sizes.length, Math.ceil(0.8 * (sizes.length + 1))) - 1] ?? 0;
}
