/** The choice between engines, of which some refuse a stage for what has nothing to do with its layout. */
import type { ClusterSpec, EngineName, StageStep } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import type { Evaluated } from "../../planner/search/evaluate.ts";
import { remember } from "../remember.ts";
import { choose, chooseWithin, type Chosen } from "./choose.ts";
import { figuresOf, isStarted } from "./figures.ts";
import { laidBy } from "./laid-stage.ts";

/** A choice with nothing to say of the text is the same wherever the stage stands. */
const chosenOnce = remember(
  choose,
  ({ diagnostics }) => diagnostics.length === 0,
  (stage, ...beside) => [laidBy(stage), ...beside],
);

const chosenWithin = remember(
  chooseWithin,
  () => true,
  (stage, ...beside) => [laidBy(stage), ...beside],
);

/** How long a stage is, which some rules of engines ask: the steps of it, and the tokens of its validation split. */
export interface Course {
  readonly steps: number | null;
  readonly split: number | null;
}

/** The plan, or why there is none. Where all engines refuse, the one that would be taken says why. */
export function chooseStarted(
  stage: StageStep,
  cluster: ClusterSpec,
  model: SizedModel,
  samples: number,
  course: Course,
): Chosen {
  const first = chosenOnce(stage, cluster, model, samples, []);
  return (
    untilStarted(
      (without) => (without.length === 0 ? first : chosenOnce(stage, cluster, model, samples, without)),
      ({ best, fastest }) => (best === null || fastest === null ? null : { best, fastest }),
      (one) => starts(stage, cluster, model, one, course),
    ) ?? first
  );
}

/** What it would choose, or `null` where nothing fits or no step is within so many seconds. */
export function startedWithin(
  stage: StageStep,
  cluster: ClusterSpec,
  model: SizedModel,
  samples: number,
  seconds: number,
  course: Course,
): Evaluated | null {
  const within = (without: readonly EngineName[]) => chosenWithin(stage, cluster, model, samples, seconds, without);
  const test = (one: Evaluated): boolean => starts(stage, cluster, model, one, course);
  return (untilStarted(within, (found) => found, test) ?? within([]))?.best ?? null;
}

interface Pair {
  readonly best: Evaluated;
  readonly fastest: Evaluated;
}

/** Without ever more engines, until both the choice and what it is measured by start; `null` where none is left. */
function untilStarted<T>(
  chosen: (without: readonly EngineName[]) => T,
  pairOf: (found: T) => Pair | null,
  test: (one: Evaluated) => boolean,
): T | null {
  const without: EngineName[] = [];
  for (;;) {
    const found = chosen([...without]);
    const pair = pairOf(found);
    if (pair === null) return null;
    const { best, fastest } = pair;
    const refused = [...new Set([best, fastest])].find((one) => !test(one));
    if (refused === undefined) return found;
    without.push(refused.setting.engine.name);
  }
}

function starts(
  stage: StageStep,
  cluster: ClusterSpec,
  model: SizedModel,
  one: Evaluated,
  { steps, split }: Course,
): boolean {
  // A file that names its engine is told what that one has against it.
  if (stage.engine !== null || steps === null) return true;
  return isStarted(stage, figuresOf(stage, model, one, steps, split), cluster);
}
