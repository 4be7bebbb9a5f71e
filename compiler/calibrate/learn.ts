/** From runs that were measured to the figures of their cluster. */
import type { Calibration } from "../calibration.ts";
import { memoryOf } from "../planner/memory.ts";
import { leastMemoryError, leastTimeError, untested } from "../planner/cpu/errors.ts";
import { timeOf } from "../planner/time.ts";
import { fit } from "./fit.ts";
import { quantile, type Observation } from "./observation.ts";

export interface Learned {
  readonly calibration: Calibration;
  /** By run: estimate and measurement, the estimate with figures that were learned from the others. */
  readonly judged: readonly Judged[];
  /** Figures that the runs left as they were. */
  readonly untouched: readonly (keyof Calibration)[];
}

export interface Judged {
  readonly name: string;
  readonly step: { readonly estimated: number; readonly measured: number };
  readonly memory: { readonly estimated: number; readonly measured: number } | null;
}

type Figures = Omit<Calibration, "time_error" | "memory_error">;
type Name = keyof Figures & string;

const compute: readonly Name[] = ["fp32", "bf16", "attention", "kernels", "layer", "fork"];
const rest: readonly Name[] = ["optimizer", "step", "link", "latency"];
const memory: readonly Name[] = ["resident", "heap"];

/** A figure that moves by less was not informed: what pulls it back to where it was is stronger than what the runs say of it. */
const noticed = 0.01;

/** What a run's squared error weighs against the figures that were there before it. */
const trust = 0.5;

export function learn(start: Calibration, observations: readonly Observation[]): Learned {
  const figures = fitted(start, observations);
  const judged = observations.map((one) =>
    judge(
      one,
      observations.length < 3
        ? figures
        : fitted(
            start,
            observations.filter((other) => other !== one),
          ),
    ),
  );
  // Where there are too few runs to leave one out, what they were learned with says nothing of other runs.
  const error = (pairs: readonly { estimated: number; measured: number }[], least: number): number =>
    judged.length < 3 ? untested : Math.max(least, spread(pairs));
  const peaks = judged.flatMap((one) => one.memory ?? []);
  return {
    calibration: {
      ...figures,
      time_error: error(
        judged.map(({ step }) => step),
        leastTimeError,
      ),
      memory_error: peaks.length === 0 ? start.memory_error : error(peaks, leastMemoryError),
    },
    judged,
    untouched: [...compute, ...rest, ...memory].filter(
      (name) => Math.abs(Math.log(figures[name] / start[name])) < noticed,
    ),
  };
}

function judge({ name, setting, choice, measured }: Observation, figures: Figures): Judged {
  const on = { ...setting, cluster: { ...setting.cluster, calibration: figures } };
  return {
    name,
    step: { estimated: timeOf(on, choice).step, measured: measuredStep(on, choice, measured) },
    memory:
      measured.memory === null || setting.cluster.device.kind !== "cpu"
        ? null
        : { estimated: memoryOf(on, choice).peak, measured: measured.memory },
  };
}

/**
 * Parts that a run tells apart are held each against its own estimate, weighed by its share of the step; communication, which
 * none of them has, was measured by itself.
 */
function fitted(start: Figures, observations: readonly Observation[]): Figures {
  const rows = observations.flatMap(rowsOf);
  const weights = rows.filter(({ kind }) => kind === "memory");
  const times = rows.filter(({ kind }) => kind === "time");
  const told = observations.every(({ measured }) => measured.parts !== null);
  const used = usedBy(observations);
  const timed = solve(
    start,
    [...compute, ...rest].filter((name) => used.has(name) && !(told && networks.has(name))),
    times,
  );
  return solve(timed, memory, weights);
}

const networks: ReadonlySet<Name> = new Set(["link", "latency"]);

/** Figures that these runs say something about. */
function usedBy(observations: readonly Observation[]): ReadonlySet<Name> {
  const used = new Set<Name>([...compute, ...rest]);
  const precisions = new Set(observations.map(({ setting }) => setting.precision));
  if (!precisions.has("fp32")) used.delete("fp32");
  if (!precisions.has("bf16") && !precisions.has("fp16")) used.delete("bf16");
  if (observations.every(({ setting }) => setting.cluster.device.kind !== "cpu")) used.delete("fork");
  if (observations.every(({ setting }) => setting.cluster.nodes * setting.cluster.gpusPerNode === 1)) {
    used.delete("link");
    used.delete("latency");
  }
  return used;
}

interface Row {
  readonly kind: "time" | "memory";
  readonly estimate: (figures: Figures) => number;
  readonly measured: number;
  readonly weight: number;
}

function rowsOf({ setting, choice, measured }: Observation): Row[] {
  const on = (calibration: Figures) => ({ ...setting, cluster: { ...setting.cluster, calibration } });
  const rows: Row[] = [];
  if (measured.parts === null) {
    rows.push({
      kind: "time",
      estimate: (figures) => timeOf(on(figures), choice).step,
      measured: measured.step,
      weight: trust,
    });
  } else {
    const total = Object.values(measured.parts).reduce((sum, part) => sum + part, 0);
    for (const [name, seconds] of Object.entries(measured.parts)) {
      if (seconds <= 0) continue;
      const estimate = (figures: Figures): number => timeOf(on(figures), choice).parts[name] ?? seconds;
      rows.push({ kind: "time", estimate, measured: seconds, weight: (trust * seconds) / total });
    }
  }
  // What a GPU's allocator counts is without its context: only a process is measured as a whole.
  if (measured.memory !== null && setting.cluster.device.kind === "cpu") {
    const estimate = (figures: Figures): number => memoryOf(on(figures), choice).peak;
    rows.push({ kind: "memory", estimate, measured: measured.memory, weight: trust });
  }
  return rows;
}

function solve(start: Figures, free: readonly Name[], rows: readonly Row[]): Figures {
  if (rows.length === 0 || free.length === 0) return start;
  const { constants } = fit(
    { ...start },
    free,
    (figures) => rows.map(({ estimate }) => estimate(figures as Figures)),
    rows.map(({ measured }) => measured),
    rows.map(({ weight }) => weight),
  );
  return constants as Figures;
}

/** Of a run that told its parts apart, those and what it must have talked by the estimate; of others, the whole step. */
function measuredStep(
  setting: Observation["setting"],
  choice: Observation["choice"],
  measured: Observation["measured"],
): number {
  if (measured.parts === null) return measured.step;
  const { parts } = timeOf(setting, choice);
  const own = Object.values(measured.parts).reduce((sum, part) => sum + part, 0);
  const others = Object.entries(parts).filter(([name]) => !(name in (measured.parts ?? {})));
  return own + others.reduce((sum, [, part]) => sum + part, 0);
}

/** Half-width of the interval that holds four of five, on a log scale and back. */
function spread(pairs: readonly { readonly estimated: number; readonly measured: number }[]): number {
  const off = pairs.map(({ estimated, measured }) => Math.abs(Math.log(estimated / measured)));
  return Math.sinh(quantile(off, 0.8) ?? untested);
}
