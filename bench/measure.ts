/** Timing whole processes side by side. */
import { spawnSync } from "node:child_process";

export interface Contestant {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface Timing {
  readonly name: string;
  readonly median: number;
  readonly fastest: number;
  /** Median over the first contestant's median. */
  readonly ratio: number;
}

/** Runs the contestants in turn, `rounds` times after one warm-up, so that a busy machine is busy for all of them. */
export function race(contestants: readonly Contestant[], rounds: number): readonly Timing[] {
  const times = contestants.map((): number[] => []);
  for (let round = -1; round < rounds; round++) {
    for (const [index, { command, env }] of contestants.entries()) {
      const [program = "", ...words] = command;
      const start = process.hrtime.bigint();
      const { status } = spawnSync(program, words, { stdio: "ignore", env: { ...process.env, ...env } });
      const seconds = Number(process.hrtime.bigint() - start) / 1e9;
      if (status !== 0) throw new Error(`${command.join(" ")} exited with ${status}`);
      if (round >= 0) times[index]?.push(seconds);
    }
  }
  const medians = times.map(median);
  return contestants.map(({ name }, i) => ({
    name,
    median: medians[i] ?? 0,
    fastest: Math.min(...(times[i] ?? [])),
    ratio: (medians[i] ?? 0) / (medians[0] ?? 1),
  }));
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

export function table(rows: readonly Timing[]): void {
  for (const { name, median: m, fastest, ratio } of rows) {
    process.stderr.write(
      `${name.padEnd(32)} ${(1000 * m).toFixed(1).padStart(8)} ms  fastest ${(1000 * fastest).toFixed(1).padStart(8)} ms  ${ratio.toFixed(2)}x\n`,
    );
  }
}
