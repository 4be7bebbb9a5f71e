/** Fits the few constants of each engine and machine on given rows; nothing of a row but its measurement is learned. */
import {
  constantsOf,
  generic,
  most,
  slowNetwork,
  starts,
  type Constants,
} from "../../compiler/planner/physics/constants/index.ts";
import { emptyStage } from "../../compiler/planner/physics/stages.ts";
import { memoryOf } from "../../compiler/planner/physics/memory.ts";
import { timeOf, type TimeConstants } from "../../compiler/planner/physics/time.ts";
import type { Case } from "./cases.ts";
import { fit, type Fitted } from "../../compiler/calibrate/fit.ts";
import { quantile } from "./score.ts";

/** Constants by engine and machine. */
export type Calibration = ReadonlyMap<string, Constants>;

export const keyOf = ({ engine, machine }: Case): string => `${engine.name}/${machine.gpu}`;

/** Fewer rows say too little of a constant. */
const enough = 6;
/** Memory has layouts to tell apart as well. */
const enoughWeighed = 12;
/** From here on rows can tell latencies from bandwidths. */
const many = 100;
/** And from here on what is hidden from what is fast. */
const some = 20;

/**
 * Those of this engine and machine; else those of the same engine on another machine, which are shares of data sheets
 * and so carry over; else what is shipped.
 */
export function constantsFor(one: Case, calibration: Calibration | null): Constants {
  if (calibration === null) return constantsOf(one.engine.name, one.machine.gpu);
  const own = calibration.get(keyOf(one));
  if (own !== undefined) return own;
  const other = [...calibration].find(([key]) => key.startsWith(`${one.engine.name}/`));
  return other?.[1] ?? generic;
}

/** Every fit starts from guesses, never from what other rows taught. */
export function calibrate(cases: readonly Case[], known?: Known): Calibration {
  const groups = new Map<string, Case[]>();
  for (const one of cases) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  const fitted: [string, Constants, number][] = [];
  for (const [key, group] of groups) {
    const whole = known?.rows.get(key) === group.length ? known.calibration.get(key) : undefined;
    const constants = whole ?? fitGroup(group);
    if (constants !== generic) fitted.push([key, constants, group.length]);
  }
  // The best known machine of an engine stands in for one that is not known.
  return new Map(fitted.sort((a, b) => b[2] - a[2]).map(([key, constants]) => [key, constants]));
}

/** A calibration on all rows, and how many each group had: groups that lost none need no other fit. */
export interface Known {
  readonly calibration: Calibration;
  readonly rows: ReadonlyMap<string, number>;
}

export function knownOf(cases: readonly Case[]): Known {
  const rows = new Map<string, number>();
  for (const one of cases) rows.set(keyOf(one), (rows.get(keyOf(one)) ?? 0) + 1);
  return { calibration: calibrate(cases), rows };
}

function fitGroup(group: readonly Case[]): Constants {
  const timed = group.filter(({ time }) => time !== undefined);
  const weighed = group.filter(({ memory, ran }) => memory !== undefined && ran !== false);
  let constants = generic;
  if (timed.length >= enough) constants = fitTime(timed);
  if (weighed.length >= enoughWeighed) constants = fitMemory(weighed, constants);
  return constants === generic ? generic : { ...constants, usable: usableOf(group, constants) };
}

/** Constants that the rows exercise: the others stay as they were. */
function timeNames(cases: readonly Case[]): (keyof TimeConstants & string)[] {
  const any = (test: (one: Case) => boolean): boolean => cases.some(test);
  const far = any(({ layout: l, machine }) => l.tensor * l.pipeline * l.data * l.context > machine.domain);
  const piped = any(({ layout }) => layout.pipeline > 1);
  const spread = cases.length >= many;
  const several = cases.length >= some;
  return [
    "products",
    "traffic",
    "host",
    ...(spread ? (["core", "floor", "near_latency", "optimizer", "step"] as const) : []),
    ...(any(({ layout }) => layout.data > 1) && several ? (["data_hidden"] as const) : []),
    ...(any(({ engine }) => engine.format === "fp8") ? (["narrow"] as const) : []),
    ...(any(({ layout, engine }) => layout.tensor > 1 && engine.overlaps.tensor) && several
      ? (["tensor_hidden"] as const)
      : []),
    ...(piped && spread ? (["send"] as const) : []),
    ...(far ? (["far"] as const) : []),
    ...(far && several ? (["congestion"] as const) : []),
    ...(far && spread ? (["far_latency", "bucket"] as const) : []),
    ...(far && piped && spread ? (["send_far", "send_growth", "skew"] as const) : []),
  ];
}

function fitTime(cases: readonly Case[]): Constants {
  const measured = cases.map(({ time = 0 }) => time);
  const estimates = (constants: Constants): number[] => cases.map((one) => stepOf(one, constants));
  // Several starts: sweeps have more than one mode, and a host that nothing waits for has no slope.
  const from = cases.length >= many ? [...starts, slowNetwork] : starts;
  const run = (start: Constants, rounds: number): Fitted<Constants> =>
    fit(start, timeNames(cases), estimates, measured, weightsOf(cases), most, rounds);
  const tried = from.map((start) => run(start, 8));
  const best = run(tried.reduce((a, b) => (b.cost < a.cost ? b : a)).constants, 15);
  return { ...best.constants, time_interval: interval(best.residuals) };
}

function fitMemory(cases: readonly Case[], base: Constants): Constants {
  const best = fit(
    base,
    ["slack", "runtime"],
    (constants) => cases.map((one) => peakOf(one, constants).logged),
    cases.map(({ memory = 0 }) => memory),
    weightsOf(cases),
  );
  return { ...best.constants, memory_interval: interval(best.residuals) };
}

function interval(residuals: readonly number[]): number {
  return quantile(
    residuals.map(Math.abs).sort((a, b) => a - b),
    0.8,
  );
}

/** The share of a card that divides what ran from what did not; where too few failed, as full as published runs get. */
function usableOf(cases: readonly Case[], constants: Constants): number {
  const judged = cases
    .filter(({ ran }) => ran !== undefined)
    .map((one) => ({ ran: one.ran, share: peakOf(one, constants).fullest / one.machine.memory, empty: refused(one) }))
    .filter(({ empty }) => !empty);
  if (judged.filter(({ ran }) => ran === false).length < enough) return generic.usable;
  const candidates = Array.from({ length: 51 }, (_, i) => 0.6 + i / 100);
  const right = (limit: number): number => judged.filter(({ ran, share }) => ran === share <= limit).length;
  return candidates.reduce((a, b) => (right(b) > right(a) ? b : a));
}

/** A sweep of a thousand rows says less than a thousand runs: a source counts by the square root of its rows. */
function weightsOf(cases: readonly Case[]): number[] {
  const sources = cases.map(({ row }) => row.id.split("-")[0] ?? "");
  const rows = new Map<string, number>();
  for (const source of sources) rows.set(source, (rows.get(source) ?? 0) + 1);
  const scale = cases.length / [...rows.values()].reduce((sum, n) => sum + Math.sqrt(n), 0);
  return sources.map((source) => scale / Math.sqrt(rows.get(source) ?? 1));
}

export function stepOf(one: Case, constants: TimeConstants): number {
  return timeOf(one.shape, one.layout, one.batch, one.engine, one.machine, constants).step;
}

/** The peak of the rank that the engine's logger speaks for, and that of the fullest rank. */
export function peakOf(one: Case, constants: Constants): { logged: number; fullest: number } {
  const ranks = memoryOf(one.shape, one.layout, one.batch, one.engine, constants).map(({ peak }) => peak);
  const fullest = Math.max(...ranks);
  const logged = one.logger === "first" ? ranks[0] : one.logger === "last" ? ranks.at(-1) : fullest;
  return { logged: logged ?? fullest, fullest };
}

/** Layouts that the engine does not start: a stage without layers has no gradients. */
export function refused({ shape, layout, engine }: Case): boolean {
  return emptyStage(shape, layout, engine);
}
