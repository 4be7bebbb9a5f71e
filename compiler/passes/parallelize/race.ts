/** Between engines: the plainest one of those that are nearly as fast as the fastest. */
import type { ClusterSpec } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import type { Evaluated } from "../../planner/search/evaluate.ts";
import { findAmong, type Problem } from "../../planner/search/find.ts";
import type { Tried } from "./named.ts";
import { bestAmong, problemsOf } from "./problems.ts";

/**
 * So much longer than with the fastest engine a step may take with a plainer one. Estimates of two engines err apart by about as much, and
 * another program is another environment, data format and checkpoint.
 */
const near = 1.25;

/** The same where the fastest is asked for: two that come so close are as fast. */
const asFast = 1.03;

const slackOf = (tried: readonly Tried[]): number => (tried.some(({ stage }) => stage.isHurried) ? asFast : near);

export interface Raced extends Tried {
  readonly problems: readonly Problem[];
  /** What the engine would choose. */
  readonly best: Evaluated;
}

/** Engines of which each is faster than all plainer ones: the last is the fastest. None takes more than so many seconds. */
export function race(
  tried: readonly Tried[],
  cluster: ClusterSpec,
  model: SizedModel,
  globalBatch: number,
  seconds: number,
): readonly Raced[] {
  const faster: Raced[] = [];
  // Who has no rival is taken, and what else it has is asked for next.
  const isAlone = tried.length === 1 && seconds === Infinity;
  let limit = tried.length > 1 ? slackOf(tried) * seconds : seconds;
  for (const one of tried) {
    const problems = problemsOf(one.stage, cluster, model, globalBatch, one.engine);
    const best = isAlone ? fittingIn(problems) : bestAmong(problems, limit);
    if (best === null) continue;
    faster.push({ ...one, problems, best });
    limit = best.time.step;
  }
  return faster;
}

function fittingIn(problems: readonly Problem[]): Evaluated | null {
  const [best] = findAmong(problems).ranked;
  return best?.fits === true ? best : null;
}

export function plainestNear(raced: readonly Raced[]): Raced | undefined {
  const most = slackOf(raced) * (raced.at(-1)?.best.time.step ?? 0);
  return raced.find(({ best }) => best.time.step <= most);
}

/** Why that one, with what decided it. */
export function reasonOf(raced: readonly Raced[], tried: readonly Tried[]): string {
  const [only, ...more] = tried;
  if (only !== undefined && more.length === 0)
    return `no other engine supports the layout and the model on these devices`;
  const fast = raced.map(({ engine, best }) => `${engine.name} ${best.time.step.toPrecision(3)} s a step`);
  const rest = tried.filter(({ engine }) => raced.every((one) => one.engine.name !== engine.name));
  const before = rest.filter(
    (one) => tried.indexOf(one) < tried.findIndex(({ engine }) => engine === raced[0]?.engine),
  );
  const after = rest.filter((one) => !before.includes(one));
  const said = (those: readonly Tried[], what: string): string[] =>
    those.map(({ engine }) => `${engine.name} ${what}`);
  const all = [...said(before, "does not fit"), ...fast, ...said(after, "no faster")];
  const rule = tried.some(({ stage }) => stage.isHurried)
    ? "the engine whose best layout is the fastest, as a bound of the stage or an open number of nodes asks"
    : "the simplest engine whose best layout is at most a quarter slower than the best of all";
  return `${rule}: ${all.join(", ")}`;
}
