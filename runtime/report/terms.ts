/** A run's estimate beside its measurement, term by term. */
import { z } from "zod";
import { quantile } from "../../compiler/calibrate/observation.ts";
import type { Metric } from "../watch/lines.ts";

export interface Term {
  readonly name: string;
  /** `part` terms add up to the whole above them. */
  readonly kind: "whole" | "part";
  readonly unit: "seconds" | "bytes";
  readonly planned: number;
  readonly measured: number;
  /** Half-width of the estimate's 80 % interval, as a fraction; `null` where none is known, and of parts. */
  readonly error: number | null;
}

const estimate = z.object({
  step: z.number().optional(),
  peak: z.number().optional(),
  parts: z.record(z.string(), z.number()).default({}),
  error: z.number().nullish(),
});

/** What a stage's plan says in `plan.json`; one that an older `cdrc` wrote may lack parts of it. */
export const plannedStage = z.looseObject({ memory: estimate, time: estimate });
export type PlannedStage = z.infer<typeof plannedStage>;

/** The first steps make buffers and load kernels. */
const warmup = 2;

export function termsOf({ memory, time }: PlannedStage, train: readonly Metric[]): Term[] {
  const steady = train.length > warmup ? train.slice(warmup) : train;
  return [...timeTerms(time, steady), ...memoryTerms(memory, train)];
}

function timeTerms(planned: PlannedStage["time"], rows: readonly Metric[]): Term[] {
  const step = quantile(stepSeconds(rows), 0.5);
  if (step === null || planned.step === undefined) return [];
  const phases = rows.flatMap((row) => (row.phases == null ? [] : [row.phases]));
  const of = (name: string): number =>
    quantile(
      phases.flatMap((phase) => phase[name] ?? []),
      0.5,
    ) ?? 0;
  const { optimizer = 0, offload = 0, other = 0 } = planned.parts;
  const rest = Object.values(planned.parts).reduce((sum, part) => sum + part, 0) - optimizer - offload - other;
  const part = (name: string, expected: number, measured: number): Term => ({
    name,
    kind: "part",
    unit: "seconds",
    planned: expected,
    measured,
    error: null,
  });
  return [
    {
      name: "step",
      kind: "whole",
      unit: "seconds",
      planned: planned.step,
      measured: step,
      error: planned.error ?? null,
    },
    ...(phases.length === 0
      ? []
      : [
          // Ranks talk while they run backward, so no clock tells the two apart.
          part("forward, backward and communication", rest, of("forward") + of("backward")),
          part("optimizer", optimizer + offload, of("optimizer")),
          part("the rest", other, of("other")),
        ]),
  ];
}

function memoryTerms(planned: PlannedStage["memory"], rows: readonly Metric[]): Term[] {
  const peak = rows.reduce((most, row) => Math.max(most, row.memory ?? 0), 0);
  if (peak === 0 || planned.peak === undefined) return [];
  const held = rows.find((row) => row.held != null)?.held;
  const whole: Term = {
    name: "memory per rank",
    kind: "whole",
    unit: "bytes",
    planned: planned.peak,
    measured: peak,
    error: planned.error ?? null,
  };
  if (held == null) return [whole];
  const part = (name: string, expected: number, measured: number): Term => ({
    name,
    kind: "part",
    unit: "bytes",
    planned: expected,
    measured,
    error: null,
  });
  const { weights = 0, optimizer = 0 } = planned.parts;
  const known = (held["weights"] ?? 0) + (held["optimizer"] ?? 0);
  return [
    whole,
    part("weights", weights, held["weights"] ?? 0),
    part("optimizer states", optimizer, held["optimizer"] ?? 0),
    part("gradients, activations, logits, buffers and the process", planned.peak - weights - optimizer, peak - known),
  ];
}

/** Of steps that follow each other in one attempt, by what each says of itself or by the clock between them. */
function stepSeconds(rows: readonly Metric[]): number[] {
  return rows.flatMap((row, index) => {
    if (row.phases != null) return [Object.values(row.phases).reduce((sum, phase) => sum + phase, 0)];
    const before = rows[index - 1];
    if (before === undefined || before.attempt !== row.attempt) return [];
    if (typeof row.seconds !== "number" || typeof before.seconds !== "number") return [];
    return [(row.seconds - before.seconds) / (row.step - before.step)];
  });
}
