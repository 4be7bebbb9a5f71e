/** Estimates against measurements, in the figures that the accuracy table shows. */

export interface Pair {
  readonly estimate: number;
  readonly measured: number;
  /** Half-width of the estimate's 80 % interval, as a share of it on a log scale. */
  readonly interval?: number;
}

export interface Score {
  readonly n: number;
  readonly mean: number;
  readonly median: number;
  readonly p90: number;
  readonly bias: number;
  /** Spearman's; `null` below three rows. */
  readonly rank: number | null;
  /** Share of measurements inside the 80 % interval, where one is known. */
  readonly covered: number | null;
}

export function scoreOf(pairs: readonly Pair[]): Score {
  const errors = pairs.map(({ estimate, measured }) => estimate / measured - 1);
  const sizes = errors.map(Math.abs).sort((a, b) => a - b);
  const known = pairs.filter(({ interval }) => interval !== undefined);
  const inside = known.filter(
    ({ estimate, measured, interval = 0 }) => Math.abs(Math.log(estimate / measured)) <= interval,
  );
  return {
    n: pairs.length,
    mean: round(mean(sizes)),
    median: round(quantile(sizes, 0.5)),
    p90: round(quantile(sizes, 0.9)),
    bias: round(mean(errors)),
    rank: pairs.length < 3 ? null : round(spearman(pairs)),
    covered: known.length === 0 ? null : round(inside.length / known.length),
  };
}

export const round = (value: number): number => Math.round(value * 1e4) / 1e4;

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Of ascending values. */
export function quantile(values: readonly number[], share: number): number {
  return values[Math.min(values.length - 1, Math.floor(share * values.length))] ?? 0;
}

/** Correlation of ranks; equal values share their mean rank. */
export function spearman(pairs: readonly Pair[]): number {
  const a = ranks(pairs.map(({ estimate }) => estimate));
  const b = ranks(pairs.map(({ measured }) => measured));
  const [ma, mb] = [mean(a), mean(b)];
  const product = (x: readonly number[], y: readonly number[], mx: number, my: number): number =>
    x.reduce((sum, value, i) => sum + (value - mx) * ((y[i] ?? 0) - my), 0);
  const spread = Math.sqrt(product(a, a, ma, ma) * product(b, b, mb, mb));
  return spread === 0 ? 0 : product(a, b, ma, mb) / spread;
}

function ranks(values: readonly number[]): number[] {
  const order = values.map((value, index) => ({ value, index })).sort((a, b) => a.value - b.value);
  const result = values.map(() => 0);
  for (let i = 0; i < order.length;) {
    let j = i;
    while (j < order.length && order[j]?.value === order[i]?.value) j++;
    for (let k = i; k < j; k++) result[order[k]?.index ?? 0] = (i + j - 1) / 2;
    i = j;
  }
  return result;
}
