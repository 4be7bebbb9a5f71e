/** The constants of time, and how far off they are for rows that the fit did not see. */
import { generic, nodesFor, onCard, type Constants } from "../../compiler/planner/physics/constants/index.ts";
import { fit, type Fitted } from "../../compiler/calibrate/fit.ts";
import { worldOf } from "../../compiler/planner/physics/layout.ts";
import { messagesOf } from "../../compiler/planner/physics/messages.ts";
import type { TimeConstants } from "../../compiler/planner/physics/time.ts";
import type { Case } from "./cases.ts";
import { isShort, stepOf } from "./estimates.ts";
import { most, slowNetwork, spreads } from "./expected.ts";
import { enough, interval, many, typical, type Level } from "./levels.ts";
import { by, modelOf, weightsOf } from "./samples.ts";

/** Fewer residuals may agree by chance: what is said of the level above holds at least. */
const enoughForInterval = 24;
const mostFolds = 5;

/**
 * How strongly a level is drawn to the one above. Rows of many engines and machines differ for reasons that no constant
 * has, all rows of one alike, so that their number speaks by its square root only; those of one engine on one machine
 * speak for themselves.
 */
const pullOf = (level: Level, rows: number): number =>
  level === "machine" ? 0.015 : (level === "engine" ? 0.01 : 0.05) * Math.sqrt(rows);

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

export function fitTime(cases: readonly Case[], level: Level, prior: Constants, known?: Constants): Constants {
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
