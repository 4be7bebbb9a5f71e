/** One stage that ran, beside what the planner reads of it. */
import { engines } from "../engines/index.ts";
import type { TrainConfig } from "../bundle/programs.ts";
import { families } from "../models/index.ts";
import type { ClusterSpec } from "../pipeline.ts";
import type { StagePlan } from "../plan.ts";
import type { Choice, Setting } from "../planner/setting.ts";

export interface Observation {
  readonly name: string;
  readonly setting: Setting;
  readonly choice: Choice;
  readonly measured: Measured;
}

/** Of a step, in seconds, and of the rank that held most, in bytes. */
export interface Measured {
  readonly step: number;
  /** By the names of the plan's parts, where the run told them apart; communication is in none of them. */
  readonly parts: Readonly<Record<string, number>> | null;
  readonly memory: number | null;
}

/** What one logged step says, by the names of `metrics.jsonl`. */
export interface Logged {
  readonly phases?: Phases | null | undefined;
  readonly computed?: Phases | null | undefined;
  readonly memory?: number | null | undefined;
  readonly tokens_per_second?: number | null | undefined;
}
type Phases = Readonly<Record<string, number>>;

/** The first steps make buffers and load kernels. */
const warmup = 2;

/**
 * `null`: too few steps were logged to say anything. A lone rank's phases are its parts; of several the clock on the wall
 * holds what they waited for each other too, and only what each computed tells parts apart.
 */
export function measuredOf(rows: readonly Logged[], tokensPerStep: number, alone: boolean): Measured | null {
  const steady = rows.slice(warmup);
  const rates = steady.flatMap(({ tokens_per_second: rate }) => (rate != null && rate > 0 ? [rate] : []));
  // The best of a few: whoever else is busy on the machine only takes speed away.
  const rate = quantile(rates, 0.9);
  if (rate === null) return null;
  const clock = steady.some(({ computed }) => computed != null) ? "computed" : "phases";
  const phases = steady.flatMap((row): Phases[] => (row[clock] == null ? [] : [row[clock]]));
  const of = (name: string): number =>
    quantile(
      phases.flatMap((row) => row[name] ?? []),
      0.5,
    ) ?? 0;
  const most = Math.max(0, ...rows.map(({ memory }) => memory ?? 0));
  return {
    step: tokensPerStep / rate,
    parts:
      phases.length === 0 || (clock === "phases" && !alone)
        ? null
        : { compute: of("forward") + of("backward"), optimizer: of("optimizer"), other: of("other") },
    memory: most > 0 ? most : null,
  };
}

export function observationOf(
  { name, engine, model, layout, batch }: StagePlan,
  config: Pick<TrainConfig, "precision" | "attention" | "compile" | "determinism">,
  cluster: ClusterSpec,
  measured: Measured,
): Observation {
  const { world: _, nodes: __, gpus_per_node: ___, data_parallel: ____, ...split } = layout;
  return {
    name,
    setting: {
      family: families[model.family],
      model,
      cluster: { ...cluster, nodes: layout.nodes, gpusPerNode: layout.gpus_per_node },
      engine: engines[engine],
      precision: config.precision,
      attention: config.attention,
      compile: config.compile,
      tf32: config.determinism === "default",
      ...(config.determinism === "default" ? {} : { deterministic: true }),
      sequence: batch.sequence,
      globalBatch: batch.global_batch,
    },
    choice: { ...split, micro_batch: batch.micro_batch, accumulation: batch.accumulation },
    measured,
  };
}

/** Of sorted values, the one that this share of them does not pass. */
export function quantile(values: readonly number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null;
}
