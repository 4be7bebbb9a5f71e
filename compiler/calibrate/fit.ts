/** Least squares on the logarithms of estimate over measurement, robust and with few parameters (Levenberg-Marquardt). */

/** A constant that is fitted: always positive, moved on a log scale, and drawn a little to where it starts. */
export type Constants = Readonly<Record<string, number>>;

export interface Fitted<C extends Constants> {
  readonly constants: C;
  readonly residuals: readonly number[];
  readonly cost: number;
}

/** How a fit weighs what it is told. */
export interface Trust {
  /** Residuals beyond this count for less and less (Cauchy's loss): clusters have bad days. */
  readonly width: number;
  /** Weight of the start, as if so many squared residuals spoke for it. */
  readonly pull: number;
  /** How far from the start a constant may well lie, on a log scale; 1 where absent. */
  readonly spread?: Readonly<Record<string, number>>;
  /** What constants are drawn to where that is not the start. */
  readonly center?: Constants;
}

const usual: Trust = { width: 0.2, pull: 0.005 };

export function fit<C extends Constants>(
  start: C,
  free: readonly (keyof C & string)[],
  estimates: (constants: C) => readonly number[],
  measured: readonly number[],
  importance: readonly number[] = measured.map(() => 1),
  /** What a constant cannot pass: no share is above what the best kernels reach. */
  most: Readonly<Record<string, number>> = {},
  rounds = 25,
  { width, pull, spread = {}, center = start }: Trust = usual,
): Fitted<C> {
  const pulls = free.map((name) => pull / (spread[name] ?? 1) ** 2);
  const begun = free.map((name) => Math.log((start[name] ?? 1) / (center[name] ?? start[name] ?? 1)));
  const drawn = (steps: readonly number[], j: number): number =>
    (pulls[j] ?? 0) * ((begun[j] ?? 0) + (steps[j] ?? 0));
  const at = (steps: readonly number[]): C =>
    Object.fromEntries(
      Object.entries(start).map(([name, value]) => {
        const index = free.indexOf(name);
        return [name, index < 0 ? value : Math.min(most[name] ?? Infinity, value * Math.exp(steps[index] ?? 0))];
      }),
    ) as C;
  const residualsOf = (steps: readonly number[]): number[] =>
    estimates(at(steps)).map((value, i) => Math.log(value / (measured[i] ?? value)));
  const cost = (residuals: readonly number[], steps: readonly number[]): number =>
    residuals.reduce((sum, r, i) => sum + (importance[i] ?? 1) * width * width * Math.log1p((r / width) ** 2), 0) +
    steps.reduce((sum, s, j) => sum + drawn(steps, j) * ((begun[j] ?? 0) + s), 0);

  let steps = free.map(() => 0);
  let residuals = residualsOf(steps);
  let best = cost(residuals, steps);
  let damping = 0.1;
  for (let round = 0; round < rounds && damping < 1e6; round++) {
    const slopes = free.map((_, j) => {
      const moved = residualsOf(steps.map((s, k) => (k === j ? s + 1e-3 : s)));
      return moved.map((r, i) => (r - (residuals[i] ?? 0)) / 1e-3);
    });
    const weights = residuals.map((r, i) => (importance[i] ?? 1) / (1 + (r / width) ** 2));
    const dot = (a: readonly number[], b: readonly number[]): number =>
      a.reduce((sum, value, i) => sum + value * (b[i] ?? 0) * (weights[i] ?? 0), 0);
    const normal = slopes.map((a, j) => slopes.map((b, k) => dot(a, b) + (j === k ? (pulls[j] ?? 0) : 0)));
    const right = slopes.map((a, j) => -dot(a, residuals) - drawn(steps, j));
    for (;;) {
      const damped = normal.map((row, j) => row.map((value, k) => (j === k ? value * (1 + damping) + 1e-9 : value)));
      const move = solve(damped, right);
      const next = steps.map((s, j) => s + Math.max(-1, Math.min(1, move[j] ?? 0)));
      const tried = residualsOf(next);
      const reached = cost(tried, next);
      if (Number.isFinite(reached) && reached < best) {
        const gained = best - reached;
        [steps, residuals, best] = [next, tried, reached];
        damping = Math.max(1e-6, damping / 5);
        if (gained < 1e-6 * best) damping = Infinity;
        break;
      }
      damping *= 4;
      if (damping > 1e6) break;
    }
  }
  return { constants: at(steps), residuals, cost: best };
}

/** Gaussian elimination with pivots. */
function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i] ?? 0]);
  const n = rows.length;
  const cell = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let column = 0; column < n; column++) {
    let pivot = column;
    for (let i = column + 1; i < n; i++) if (Math.abs(cell(i, column)) > Math.abs(cell(pivot, column))) pivot = i;
    const [a, b] = [rows[column], rows[pivot]];
    if (a !== undefined && b !== undefined) [rows[column], rows[pivot]] = [b, a];
    for (let i = 0; i < n; i++) {
      if (i === column) continue;
      const factor = cell(i, column) / cell(column, column);
      const row = rows[i];
      if (row !== undefined) for (let j = column; j <= n; j++) row[j] = cell(i, j) - factor * cell(column, j);
    }
  }
  return rows.map((_, i) => cell(i, n) / cell(i, i));
}
