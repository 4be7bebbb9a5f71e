import { timeOf } from "../../compiler/planner/time.ts";
import { memoryOf } from "../../compiler/planner/memory.ts";
import { readRun } from "../../runtime/calibrate/read-run.ts";

export interface Reading {
  readonly name: string;
  readonly directory: string;
}

interface Score {
  readonly name: string;
  readonly step: {
    readonly planned: number;
    readonly wall: number;
    readonly computed: number;
    readonly error: number | null;
  };
  readonly memory: { readonly planned: number; readonly measured: number; readonly error: number | null };
}

export interface Report {
  readonly runs: readonly Score[];
  /** Largest distance from the measurement, as a share of it. */
  readonly worst: { readonly wall: number; readonly computed: number; readonly memory: number };
}

/** The fastest round of each run: whoever else is busy on the machine only slows a run down. */
export async function scored(readings: readonly Reading[]): Promise<Report> {
  const runs = new Map<string, Score>();
  for (const { name, directory } of readings) {
    const read = await readRun(directory);
    if (read.kind === "useless") throw new Error(`${name}: ${read.why}`);
    const { setting, choice, measured } = read.observation;
    const time = timeOf(setting, choice);
    const memory = memoryOf(setting, choice);
    const own = Object.values(measured.parts ?? {}).reduce((sum, part) => sum + part, 0);
    const before = runs.get(name);
    runs.set(name, {
      name,
      step: {
        planned: time.step,
        wall: Math.min(before?.step.wall ?? Infinity, measured.step),
        computed: Math.min(before?.step.computed ?? Infinity, own + (time.parts["data_comm"] ?? 0)),
        error: time.error,
      },
      memory: {
        planned: memory.peak,
        measured: Math.max(before?.memory.measured ?? 0, measured.memory ?? 0),
        error: memory.error,
      },
    });
  }
  const scores = [...runs.values()];
  const worst = (share: (one: Score) => number): number => Math.max(...scores.map((one) => Math.abs(share(one) - 1)));
  return {
    runs: scores,
    worst: {
      wall: worst(({ step }) => step.planned / step.wall),
      computed: worst(({ step }) => step.planned / step.computed),
      memory: worst(({ memory }) => memory.planned / memory.measured),
    },
  };
}
