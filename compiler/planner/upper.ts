/**
 * The upper end of an 80 % interval, over the estimate. Errors are even on a log scale, `w` up and down, and `error` is half of what
 * lies between: `sinh w`.
 */
export function upper(error: number | null): number {
  return error === null ? 1 : Math.exp(Math.asinh(error));
}
