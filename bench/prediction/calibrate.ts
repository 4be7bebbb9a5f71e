/** Fits the few constants of each engine and machine on given rows; nothing of a row but its measurement is learned. */
import { generic, onCard, type Constants } from "../../compiler/planner/physics/constants/index.ts";
import { anyEngine, anyMachine, keyOf, type Calibration } from "./calibration.ts";
import type { Case } from "./cases.ts";
import { enoughWeighed, fitMemory, isWeighed, memoryInterval, usableOf } from "./fit-memory.ts";
import { fitTime } from "./fit-time.ts";
import { enough, many, type Level } from "./levels.ts";
import { by, sampled } from "./samples.ts";

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
