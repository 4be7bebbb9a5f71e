import type { MemoryPlan } from "../../compiler/plan.ts";
import { gib } from "./figures.ts";

export interface BarPaint {
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly blue: (text: string) => string;
  readonly cyan: (text: string) => string;
  readonly dim: (text: string) => string;
}

type Part = keyof MemoryPlan["parts"];

/** Colour and block of each part, and the letter that stands for it where there is no colour. */
const looks: readonly (readonly [Part, keyof BarPaint, string, string])[] = [
  ["weights", "blue", "█", "W"],
  ["gradients", "cyan", "█", "G"],
  ["optimizer", "yellow", "█", "O"],
  ["activations", "green", "█", "A"],
  ["logits", "green", "▒", "L"],
  ["buffers", "blue", "▒", "B"],
  ["runtime", "dim", "▒", "R"],
];

/** The parts against the capacity, largest remainders rounded up, so that the bar's length is exact. */
export function memoryBar(memory: MemoryPlan, paint: BarPaint, width: number, coloured: boolean): string {
  const scale = Math.max(memory.capacity, memory.peak);
  const limit = Math.min(width - 1, Math.round((memory.usable / scale) * width));
  const exact = looks.map(([part]) => (memory.parts[part] / scale) * width);
  const cells = apportion(exact, Math.round(exact.reduce((sum, n) => sum + n, 0)));
  const bar: string[] = looks.flatMap(([, colour, block, letter], i) =>
    Array.from({ length: cells[i] ?? 0 }, () => paint[colour](coloured ? block : letter)),
  );
  while (bar.length < width) bar.push(paint.dim("·"));
  const over = memory.peak > memory.usable;
  bar[limit] = over ? paint.red("┃") : paint.dim("│");
  return bar.join("");
}

/** Names and sizes of the parts, the big ones first; what is below one percent is left out. */
export function memoryLegend(memory: MemoryPlan, paint: BarPaint, coloured: boolean): string[] {
  return looks
    .filter(([part]) => memory.parts[part] >= 0.01 * memory.peak)
    .sort((a, b) => memory.parts[b[0]] - memory.parts[a[0]])
    .map(
      ([part, colour, block, letter]) =>
        `${paint[colour](coloured ? block : letter)} ${part} ${gib(memory.parts[part])}`,
    );
}

function apportion(exact: readonly number[], total: number): number[] {
  const cells = exact.map(Math.floor);
  const byRemainder = exact.map((n, i) => [n - Math.floor(n), i] as const).sort((a, b) => b[0] - a[0]);
  let left = total - cells.reduce((sum, n) => sum + n, 0);
  for (const [, i] of byRemainder) {
    if (left <= 0) break;
    cells[i] = (cells[i] ?? 0) + 1;
    left--;
  }
  return cells;
}
