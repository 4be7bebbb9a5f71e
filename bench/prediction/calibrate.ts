/** Fits the few constants of each engine and machine on given rows; nothing of a row but its measurement is learned. */
import {
  constantsOf,
  generic,
  nodesFor,
  onCard,
  type Constants,
} from "../../compiler/planner/physics/constants/index.ts";
import { worldOf } from "../../compiler/planner/physics/layout.ts";
import { messagesOf } from "../../compiler/planner/physics/messages.ts";
import { half } from "../../compiler/planner/physics/send.ts";
import type { TimeConstants } from "../../compiler/planner/physics/time.ts";
import type { Case } from "./cases.ts";
import { fit, type Fitted } from "../../compiler/calibrate/fit.ts";
import { most, slowNetwork, spreads } from "./expected.ts";
import { isShort, peakOf, refused, stepOf } from "./estimates.ts";
import { by, modelOf, sampled, sourceOf, weightsOf } from "./samples.ts";
import { quantile } from "./score.ts";

/** Constants by engine and machine. */
export type Calibration = ReadonlyMap<string, Constants>;

export const keyOf = ({ engine, machine }: Case): string => `${engine.name}/${machine.gpu}`;

/** Fewer rows say too little of a constant. */
const enough = 6;
/** Memory has layouts to tell apart as well. */
const enoughWeighed = 12;
/** Fewer residuals may agree by chance: what is said of the level above holds at least. */
const enoughForInterval = 24;
/** From here on rows can tell how a program waits, and what grows with a model from what does not. */
const many = 100;
const mostFolds = 5;

/** Whose constants a fit is after: all engines', one engine's on all its machines, or one engine's on one machine. */
type Level = "all" | "engine" | "machine";

/**
 * How strongly a level is drawn to the one above. Rows of many engines and machines differ for reasons that no constant
 * has, all rows of one alike, so that their number speaks by its square root only; those of one engine on one machine
 * speak for themselves.
 */
const pullOf = (level: Level, rows: number): number =>
  level === "machine" ? 0.015 : (level === "engine" ? 0.01 : 0.05) * Math.sqrt(rows);

/** All machines of an engine together. */
const anyMachine = (engine: string): string => `${engine}/any`;
const anyEngine = "any";

/**
 * Those of this engine and machine; else of the engine on all machines together, for they are shares of data sheets; else
 * of all engines; else guesses. How long a program sleeps says its source, so that no fit of others has to, nor of its own runs on few nodes.
 */
export function constantsFor(one: Case, calibration: Calibration | null): Constants {
  const { engine, machine } = one;
  const fitted = constantsNamed(engine.name, machine.gpu, calibration);
  const { polled = 0 } = engine;
  const isMeasured = fitted.stall > generic.stall * 2 && fitted.nodes_most >= half;
  const own = polled > fitted.stall && !isMeasured ? { ...fitted, stall: polled } : fitted;
  const same = allocators[engine.name];
  if (same === undefined) return own;
  const { slack, runtime } = constantsNamed(same, machine.gpu, calibration);
  return { ...own, slack, runtime };
}

/** Programs that are one, of which the memory was measured under another name. */
const allocators: Readonly<Record<string, string>> = { megatron: "megatron-core" };

function constantsNamed(engine: string, gpu: string, calibration: Calibration | null): Constants {
  if (calibration === null) return constantsOf(engine, gpu);
  const all = calibration.get(anyMachine(engine)) ?? calibration.get(anyMachine(anyEngine)) ?? generic;
  return calibration.get(`${engine}/${gpu}`) ?? onCard(all, gpu);
}

/**
 * Each engine on each machine is drawn to the engine on all its machines, that to all engines together, and these to what
 * is expected of any: what rows hardly exercise is as on the neighbours.
 */
export function calibrate(cases: readonly Case[], known?: Known): Calibration {
  const fitted = new Map<string, Constants>();
  const learn = (key: string, level: Level, rows: readonly Case[], prior: Constants): Constants => {
    const all = known?.rows.get(key);
    const same = all === rows.length && rows.length >= many;
    // What many rows said of an interval does not hold for a fit on few of them.
    const before = 2 * rows.length < (all ?? 0) ? undefined : known?.calibration.get(key);
    const constants = (same ? before : undefined) ?? fitGroup(rows, level, prior, before);
    if (constants !== prior) fitted.set(key, constants);
    return constants;
  };
  const all = learn(anyMachine(anyEngine), "all", sampled([...by(cases, keyOf).values()]), generic);
  for (const [engine, ofEngine] of by(cases, (one) => one.engine.name)) {
    const machines = by(ofEngine, keyOf);
    const prior = learn(anyMachine(engine), "engine", sampled([...machines.values()]), all);
    for (const [key, rows] of machines) learn(key, "machine", rows, onCard(prior, rows[0]?.machine.gpu ?? ""));
  }
  for (const [engine, rows] of by(cases.filter(isWeighed), ({ engine }) => engine.name)) {
    const memory_interval =
      known?.calibration.get(anyMachine(engine))?.memory_interval ??
      memoryInterval(rows, fitted) ??
      generic.memory_interval;
    for (const [key, constants] of fitted)
      if (key.startsWith(`${engine}/`)) fitted.set(key, { ...constants, memory_interval });
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

function fitGroup(group: readonly Case[], level: Level, prior: Constants, known?: Constants): Constants {
  const timed = group.filter(({ time }) => time !== undefined);
  const weighed = group.filter(isWeighed);
  let constants = prior;
  // What allocators and contexts take differs by engine more than anything.
  if (level !== "all") {
    if (weighed.length >= enoughWeighed) constants = fitMemory(weighed, constants);
    if (weighed.length >= enoughWeighed || timed.length >= enough)
      constants = { ...constants, usable: usableOf(group, constants) };
  }
  // Which runs are short of memory is known before their times.
  return timed.length >= enough ? fitTime(timed, level, constants, known) : constants;
}

/** Constants that the rows exercise: the others stay as they were. */
function timeNames(cases: readonly Case[], level: Level): (keyof TimeConstants & string)[] {
  const any = (test: (one: Case) => boolean): boolean => cases.some(test);
  const far = any(({ layout, machine }) => worldOf(layout) > machine.domain);
  const piped = any(({ layout }) => layout.pipeline > 1);
  // How long a program waits for messages is its own.
  const waits = far && piped && level !== "all" && cases.length >= many;
  return [
    ...(["products", "traffic", "host", "core", "floor", "optimizer", "step"] as const),
    ...(any(({ layout }) => worldOf(layout) > 1) ? (["near", "near_latency"] as const) : []),
    ...(any(({ layout }) => layout.data > 1) ? (["data_hidden", "bucket"] as const) : []),
    ...(any(({ engine }) => engine.format === "fp8") ? (["narrow"] as const) : []),
    ...(any(({ layout, engine }) => layout.tensor > 1 && engine.overlaps.tensor) ? (["tensor_hidden"] as const) : []),
    ...(piped ? (["send"] as const) : []),
    ...(far ? (["far", "congestion", "far_latency"] as const) : []),
    ...(far && piped ? (["send_far"] as const) : []),
    ...(waits ? (["stall", "skew"] as const) : []),
  ];
}

/** Residuals at which rows count as `pullOf` says. */
const usualScatter = 0.05;

const typical = (residuals: readonly number[]): number =>
  quantile(
    residuals.map(Math.abs).sort((a, b) => a - b),
    0.5,
  );

function fitTime(cases: readonly Case[], level: Level, prior: Constants, known?: Constants): Constants {
  // Several starts: sweeps have more than one mode, and a host that nothing waits for has no slope.
  const { slack, runtime, usable } = prior;
  const names = timeNames(cases, level);
  const from = [
    prior,
    { ...prior, host: 4 * prior.host },
    // What no row moves would stay where such a start has it.
    ...(names.includes("stall") ? [{ ...slowNetwork, slack, runtime, usable }] : []),
  ];
  const short = new Set(cases.filter((one) => isShort(one, prior)));
  const seconds = (one: Case, constants: Constants): number =>
    stepOf(one, level === "machine" ? constants : onCard(constants, one.machine.gpu), short.has(one));
  const run = (rows: readonly Case[], start: Constants, rounds: number, doubt = 1): Fitted<Constants> =>
    fit(
      start,
      names,
      (constants) => rows.map((one) => seconds(one, constants)),
      rows.map(({ time = 0 }) => time),
      weightsOf(rows),
      most,
      rounds,
      { width: 0.2, pull: doubt * pullOf(level, rows.length), spread: spreads, center: prior },
    );
  const tried = from.map((start) => run(cases, start, 8));
  const first = tried.reduce((a, b) => (b.cost < a.cost ? b : a));
  // Rows that agree to a percent say more than those that scatter.
  const doubt = Math.min(1, (typical(first.residuals) / usualScatter) ** 2);
  const best = run(cases, first.constants, 15, doubt);
  const nodes = cases.map(nodesOf);
  // What rows of the program itself took over the network was measured.
  const hiccup = level !== "all" && cases.filter(sends).length >= enough ? 0 : prior.hiccup;
  const constants = { ...best.constants, hiccup, nodes_least: Math.min(...nodes), nodes_most: Math.max(...nodes) };
  const least = level !== "all" && cases.length < enoughForInterval ? prior.time_interval : 0;
  if (known !== undefined) {
    const { time_interval, time_interval_beyond } = known;
    return {
      ...constants,
      time_interval: Math.max(least, time_interval),
      time_interval_beyond: Math.max(least, time_interval_beyond),
    };
  }
  const held = (folds: readonly ReadonlySet<Case>[]): number[] =>
    folds.flatMap((fold) => {
      const others = cases.filter((one) => !fold.has(one));
      const without = run(others, best.constants, 4, doubt).constants;
      return [...fold].map((one) => Math.log(seconds(one, without) / (one.time ?? 1)));
    });
  const inside = held(foldsOf(cases, level));
  // An engine that one machine ran says nothing of others.
  const elsewhere = level === "engine" && inside.length === 0 ? prior.time_interval : 0;
  const within = Math.max(least, elsewhere, interval(inside.length > 0 ? inside : best.residuals));
  const beyond = held(endsOf(cases));
  return {
    ...constants,
    time_interval: within,
    time_interval_beyond: Math.max(within, beyond.length >= enough ? interval(beyond) : generic.time_interval_beyond),
  };
}

const sends = ({ shape, layout, batch, machine }: Case): boolean =>
  messagesOf(shape.blocks.length, layout, batch.count, machine) > 0;

const nodesOf = ({ layout, machine }: Case): number => nodesFor(worldOf(layout), machine);

/**
 * What an interval is learned on: rows of a model or of a number of nodes, as the fit of all the others sees them; of what
 * speaks for machines and engines that nobody measured, rows of a machine or an engine. Not where they are most of what
 * there is.
 */
function foldsOf(cases: readonly Case[], level: Level): readonly ReadonlySet<Case>[] {
  const factors: Readonly<Record<Level, readonly ((one: Case) => string)[]>> = {
    all: [({ machine }) => machine.gpu, ({ engine }) => engine.name],
    engine: [({ machine }) => machine.gpu],
    machine: [modelOf, ({ row }) => String(row.hardware.nodes ?? row.hardware.gpus)],
  };
  return factors[level].flatMap((factor) => {
    const folds: Case[][] = [];
    [...by(cases, factor).values()].forEach((rows, i) => (folds[i % mostFolds] ??= []).push(...rows));
    return folds.filter(({ length }) => 2 * length < cases.length).map((rows) => new Set(rows));
  });
}

/** Rows of the fewest and of the most nodes: what a fit says of them was measured on one side only. */
function endsOf(cases: readonly Case[]): readonly ReadonlySet<Case>[] {
  const counts = [...new Set(cases.map(nodesOf))].sort((a, b) => a - b);
  if (counts.length < 3) return [];
  return [counts[0], counts.at(-1)]
    .map((count) => new Set(cases.filter((one) => nodesOf(one) === count)))
    .filter(({ size }) => cases.length - size >= enough);
}

/** Exact bytes deserve a narrow fit: the second one counts what is far off, by the first one's scale, for little. */
const fitMemory = (cases: readonly Case[], base: Constants): Constants => weighedBy(cases, base).constants;

function weighedBy(cases: readonly Case[], base: Constants): Fitted<Constants> {
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
  return run(Math.min(0.2, Math.max(0.01, 2 * typical(run(0.2).residuals))));
}

/**
 * What a program allocates does not depend on the machine. Each model is judged by a fit of the others, and of the sources
 * the one counts that is met worst: a thousand tests of toys say nothing of a model that somebody trains.
 */
function memoryInterval(cases: readonly Case[], fitted: Calibration): number | undefined {
  const residuals = new Map<Case, number>();
  for (const rows of by(cases, keyOf).values()) {
    for (const fold of by(rows, modelOf).values()) {
      const held = new Set(fold);
      const others = rows.filter((one) => !held.has(one));
      for (const one of fold) {
        const constants = constantsFor(one, fitted);
        const own = others.length >= enoughWeighed ? weighedBy(others, constants).constants : constants;
        residuals.set(one, Math.log(peakOf(one, own).logged / (one.memory ?? 1)));
      }
    }
  }
  const worst = [...by(cases, sourceOf).values()]
    .filter((rows) => rows.length >= enough)
    .map((rows) => interval(rows.map((one) => residuals.get(one) ?? 0)));
  return worst.length === 0 ? undefined : Math.max(...worst);
}

/** Such that another one lies within it four times of five: of few residuals the largest. */
function interval(residuals: readonly number[]): number {
  const sizes = residuals.map(Math.abs).sort((a, b) => a - b);
  return sizes[Math.min(sizes.length, Math.ceil(0.8 * (sizes.length + 1))) - 1] ?? 0;
}

/**
 * The share of a card that divides what ran from what did not, of those that do so as well the middle one; where too few failed, as full as
 * published runs get.
 */
function usableOf(cases: readonly Case[], constants: Constants): number {
  const judged = cases
    .filter(({ ran }) => ran !== undefined)
    .map((one) => ({ ran: one.ran, share: peakOf(one, constants).fullest / one.machine.memory, empty: refused(one) }))
    .filter(({ empty }) => !empty);
  if (judged.filter(({ ran }) => ran === false).length < enough) return generic.usable;
  const candidates = Array.from({ length: 51 }, (_, i) => 0.6 + i / 100);
  const right = (limit: number): number => judged.filter(({ ran, share }) => ran === share <= limit).length;
  const most = Math.max(...candidates.map(right));
  const best = candidates.filter((limit) => right(limit) === most);
  return best[Math.floor((best.length - 1) / 2)] ?? generic.usable;
}

const isWeighed = ({ memory, ran }: Case): boolean => memory !== undefined && ran !== false;
