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
/** From here on rows can tell latencies from bandwidths, and what grows with a model from what does not. */
const many = 100;
/** And from here on what is hidden from what is fast. */
const some = 20;
const mostFolds = 5;

/** All machines of an engine together. */
const anyMachine = (engine: string): string => `${engine}/any`;

/**
 * Those of this engine and machine; else of the engine on all machines together, for they are shares of data sheets; else
 * guesses.
 */
export function constantsFor(one: Case, calibration: Calibration | null): Constants {
  if (calibration === null) return constantsOf(one.engine.name, one.machine.gpu);
  return calibration.get(keyOf(one)) ?? calibration.get(anyMachine(one.engine.name)) ?? generic;
}

/**
 * Each engine on each machine is drawn to the engine on all its machines where its rows are few, so that what they
 * hardly exercise is as on the neighbours; all else to guesses.
 */
export function calibrate(cases: readonly Case[], known?: Known): Calibration {
  const fitted = new Map<string, Constants>();
  const learn = (key: string, rows: readonly Case[], prior: Constants): Constants => {
    const same = known?.rows.get(key) === rows.length && rows.length >= many;
    const before = known?.calibration.get(key);
    const constants = (same ? before : undefined) ?? fitGroup(rows, prior, before?.time_interval);
    if (constants !== prior) fitted.set(key, constants);
    return constants;
  };
  for (const [engine, ofEngine] of by(cases, (one) => one.engine.name)) {
    const machines = by(ofEngine, keyOf);
    const prior = learn(anyMachine(engine), sampled([...machines.values()]), generic);
    for (const [key, rows] of machines) learn(key, rows, prior);
  }
  return fitted;
}

/**
 * A calibration on all rows, and how many each group had: large groups that lost none need no other fit, and intervals,
 * which are learned on rows that a fit did not see, need no second time.
 */
export interface Known {
  readonly calibration: Calibration;
  readonly rows: ReadonlyMap<string, number>;
}

export function knownOf(cases: readonly Case[]): Known {
  const rows = new Map([...by(cases, keyOf)].map(([key, group]) => [key, group.length]));
  return { calibration: calibrate(cases), rows };
}

function by(cases: readonly Case[], key: (one: Case) => string): ReadonlyMap<string, readonly Case[]> {
  const groups = new Map<string, Case[]>();
  for (const one of cases) {
    const group = groups.get(key(one));
    if (group === undefined) groups.set(key(one), [one]);
    else group.push(one);
  }
  return groups;
}

/** At most so many of each, evenly: what all have in common is no matter of the largest sweep. */
function sampled(groups: readonly (readonly Case[])[]): readonly Case[] {
  return groups.flatMap((group) => {
    const step = Math.max(1, group.length / 40);
    return Array.from({ length: Math.floor(group.length / step) }, (_, i) => group[Math.floor(i * step)]).filter(
      (one) => one !== undefined,
    );
  });
}

function fitGroup(group: readonly Case[], prior: Constants, known?: number): Constants {
  const timed = group.filter(({ time }) => time !== undefined);
  const weighed = group.filter(({ memory, ran }) => memory !== undefined && ran !== false);
  let constants = prior;
  if (timed.length >= enough) constants = fitTime(timed, prior, known);
  if (weighed.length >= enoughWeighed) constants = fitMemory(weighed, constants);
  return constants === prior ? prior : { ...constants, usable: usableOf(group, constants) };
}

/** Constants that the rows exercise: the others stay as they were. */
function timeNames(cases: readonly Case[], own: boolean): (keyof TimeConstants & string)[] {
  const any = (test: (one: Case) => boolean): boolean => cases.some(test);
  const far = any(({ layout: l, machine }) => l.tensor * l.pipeline * l.data * l.context > machine.domain);
  const piped = any(({ layout }) => layout.pipeline > 1);
  const spread = own && cases.length >= many;
  const several = cases.length >= some;
  const sequences = cases.map(({ batch }) => batch.sequence);
  const reach = Math.max(...sequences) / Math.min(...sequences);
  return [
    "products",
    "traffic",
    "host",
    ...(spread || (own && several && reach >= 4) ? (["core"] as const) : []),
    ...(spread ? (["floor", "near_latency", "optimizer", "step"] as const) : []),
    ...(any(({ layout }) => layout.data > 1) && several ? (["data_hidden"] as const) : []),
    ...(any(({ engine }) => engine.format === "fp8") ? (["narrow"] as const) : []),
    ...(any(({ layout, engine }) => layout.tensor > 1 && engine.overlaps.tensor) && several
      ? (["tensor_hidden"] as const)
      : []),
    ...(piped && spread ? (["send"] as const) : []),
    ...(far ? (["far"] as const) : []),
    ...(far && several ? (["congestion", "far_latency"] as const) : []),
    ...(far && spread ? (["bucket"] as const) : []),
    ...(far && piped && spread ? (["send_far", "send_growth", "skew"] as const) : []),
  ];
}

function fitTime(cases: readonly Case[], prior: Constants, known?: number): Constants {
  const spread = cases.length >= many;
  // Several starts: sweeps have more than one mode, and a host that nothing waits for has no slope.
  const from = spread ? [...starts, slowNetwork] : [prior, { ...prior, host: 4 * prior.host }];
  const run = (rows: readonly Case[], start: Constants, rounds: number): Fitted<Constants> =>
    fit(
      start,
      timeNames(cases, by(cases, keyOf).size === 1),
      (constants) => rows.map((one) => stepOf(one, constants)),
      rows.map(({ time = 0 }) => time),
      weightsOf(rows),
      most,
      rounds,
      { width: 0.2, pull: spread ? 0.005 : 0.02 },
    );
  const tried = from.map((start) => run(cases, start, 8));
  const best = run(cases, tried.reduce((a, b) => (b.cost < a.cost ? b : a)).constants, 15);
  if (known !== undefined) return { ...best.constants, time_interval: known };
  const held = foldsOf(cases).flatMap((fold) => {
    const { constants } = run(
      cases.filter((one) => !fold.has(one)),
      best.constants,
      4,
    );
    return [...fold].map((one) => Math.log(stepOf(one, constants) / (one.time ?? 1)));
  });
  return { ...best.constants, time_interval: interval(held.length > 0 ? held : best.residuals) };
}

/**
 * What an interval is learned on: rows of a model, of a number of nodes or of a machine, as the fit of all the others sees
 * them. Not where they are most of what there is.
 */
function foldsOf(cases: readonly Case[]): readonly ReadonlySet<Case>[] {
  const factors = [
    ({ row }: Case) => `${String(row.model["family"])} ${String(row.model["layers"] ?? "")}`,
    ({ row }: Case) => String(row.hardware.nodes ?? row.hardware.gpus),
    ({ machine }: Case) => machine.gpu,
  ];
  return factors.flatMap((factor) => {
    const folds: Case[][] = [];
    [...by(cases, factor).values()].forEach((rows, i) => (folds[i % mostFolds] ??= []).push(...rows));
    return folds.filter(({ length }) => 2 * length < cases.length).map((rows) => new Set(rows));
  });
}

/** Exact bytes deserve a narrow fit: the second one counts what is far off, by the first one's scale, for little. */
function fitMemory(cases: readonly Case[], base: Constants): Constants {
  const run = (width: number): Fitted<Constants> =>
    fit(
      base,
      cases.length >= many ? ["slack", "runtime"] : ["runtime"],
      (constants) => cases.map((one) => peakOf(one, constants).logged),
      cases.map(({ memory = 0 }) => memory),
      weightsOf(cases),
      {},
      25,
      { width, pull: 0.0005 * width },
    );
  const first = run(0.2)
    .residuals.map(Math.abs)
    .sort((a, b) => a - b);
  const best = run(Math.min(0.2, Math.max(0.01, 2 * quantile(first, 0.5))));
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
