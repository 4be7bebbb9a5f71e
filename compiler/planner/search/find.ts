/** The best layouts of a space: exactly those that trying all of them would find, by trying few. */
import type { Settings } from "../../pipeline.ts";
import { hostRoom } from "../host.ts";
import { hostFloor } from "../memory.ts";
import { onCpu, worldOf, type Setting } from "../setting.ts";
import type { Evaluated } from "./evaluate.ts";
import { searchOf, type Search } from "./explore.ts";
import { kindOf, rank } from "./rank.ts";
import { shortList } from "./short-list.ts";
import { allOf, spaceOf, type Space } from "./space.ts";

export interface Found {
  /** In order of preference: the choice, all others that could be shown, and where few fit the leanest that do not. */
  readonly ranked: readonly Evaluated[];
  /** Layouts of the space, and how many of them were reckoned in full: the others cannot be among the ranked. */
  readonly considered: number;
  readonly evaluated: number;
}

/** A space to choose from, and what it is of. */
export interface Problem {
  readonly setting: Setting;
  readonly layout: Settings;
}

/** The same of several spaces together. */
export function findAmong(problems: readonly Problem[]): Found {
  const found = problems.map(foundIn);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const sum = (count: (each: Found) => number): number => found.reduce((all, each) => all + count(each), 0);
  return {
    // What is within 1 % of the best of all is within 1 % of the best of its own space.
    ranked: rank(found.flatMap(({ ranked }) => ranked)),
    considered: sum(({ considered }) => considered),
    evaluated: sum(({ evaluated }) => evaluated),
  };
}

/** Kinds of layout that are ranked beside the choice's own. */
export const runnersUp = 5;

/** Spaces so small that finding out what need not be tried takes longer than trying it. */
const small = 48;

/** A problem as its questions have left it: what one of them reckoned is not reckoned again for the next. */
interface Opened {
  readonly space: Space;
  /** `null` where every layout is tried, or there is none. */
  readonly search: Search | null;
  /** Of a search, once somebody asked for all of them. */
  found: Found | null;
}

const known = new WeakMap<Problem, Opened>();

function opened(problem: Problem): Opened {
  let found = known.get(problem);
  if (found === undefined) {
    const { setting, layout } = problem;
    const space = spaceOf(setting, layout);
    const search = onCpu(setting) || space.size <= small ? null : searchOf(setting, space);
    known.set(problem, (found = { space, search, found: null }));
  }
  return found;
}

export const find = (setting: Setting, layout: Settings): Found => foundIn({ setting, layout });

function foundIn(problem: Problem): Found {
  const all = opened(problem);
  return (all.found ??= all.search === null ? tried(problem.setting, all.space) : searched(all.search, all.space));
}

function tried(setting: Setting, space: Space): Found {
  return { ranked: tryAll(setting, space), considered: space.layouts, evaluated: space.size };
}

/**
 * What `find` would choose, or `null` where its step takes more than so many seconds. `fits`: whether some layout does, be it slower.
 */
export function findWithin(
  problem: Problem,
  seconds: number,
): { readonly best: Evaluated | null; readonly fits: boolean } {
  const { search } = opened(problem);
  if (search === null) return within(foundIn(problem).ranked, seconds);
  return seconds === Infinity || search.isWithin(seconds)
    ? within(bestOf(search), seconds)
    : { best: null, fits: holds(search) };
}

/** The same, where nobody asks whether a slower one fits. */
export function bestWithin(problem: Problem, seconds: number): Evaluated | null {
  const { search } = opened(problem);
  if (search === null) return within(foundIn(problem).ranked, seconds).best;
  return seconds === Infinity || search.isWithin(seconds) ? within(bestOf(search), seconds).best : null;
}

function bestOf(search: Search): readonly Evaluated[] {
  search.best(1);
  return rank(search.reckoned().map(({ one }) => one));
}

function within([best]: readonly Evaluated[], seconds: number): ReturnType<typeof findWithin> {
  if (best === undefined || !best.fits) return { best: null, fits: false };
  return { best: best.time.step <= seconds ? best : null, fits: true };
}

/** Does any layout fit? */
export function fitsAny(setting: Setting, layout: Settings): boolean {
  const { variants, ...all } = spaceOf(setting, layout);
  const world = worldOf(setting.cluster);
  const room = hostRoom(setting.cluster) / setting.cluster.gpusPerNode;
  const able = onCpu(setting) ? variants : variants.filter((variant) => hostFloor(setting, variant, world) <= room);
  const space = { ...all, variants: able };
  if (onCpu(setting) || space.size <= small) return tryAll(setting, space).some(({ fits }) => fits);
  const search = searchOf(setting, space);
  return search !== null && holds(search);
}

function holds({ room, leanest }: Search): boolean {
  let found = false;
  leanest(
    () => (found ? -Infinity : room),
    ({ fits }) => (found ||= fits),
  );
  return found;
}

export function tryAll(setting: Setting, space: Space): Evaluated[] {
  return rank(allOf(setting, space));
}

export function branchAndBound(setting: Setting, space: Space): Found {
  const search = searchOf(setting, space);
  return search === null ? { ranked: [], considered: 0, evaluated: 0 } : searched(search, space);
}

function searched(search: Search, space: Space): Found {
  if (search.best(runnersUp + 1) <= runnersUp) {
    // So few fit that the leanest of the others are of interest; those of a kind that fits are not counted.
    const list = shortList(2 * runnersUp + 1);
    search.leanest(list.limit, (one) => {
      if (!one.fits) list.offer(kindOf(one), one.memory.peak);
    });
  }
  const all = (): Evaluated[] => search.reckoned().map(({ one }) => one);
  // The next micro-batch up is what people ask for first, even when it does not fit.
  const [best] = rank(all());
  const taken = search.reckoned().find(({ one }) => one === best)?.place;
  const larger = taken?.depth.micros.find((micro) => micro > taken.micro);
  if (taken !== undefined && larger !== undefined) search.reckon({ ...taken, micro: larger });
  return { ranked: rank(all()), considered: space.layouts, evaluated: search.reckoned().length };
}
