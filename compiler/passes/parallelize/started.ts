/** The choice between engines, of which some refuse a stage for what has nothing to do with its layout. */
import type { ClusterSpec, EngineName, StageStep } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import type { Evaluated } from "../../planner/search/evaluate.ts";
import { remember } from "../remember.ts";
import { choose, chooseWithin, type Chosen } from "./choose.ts";
import { figuresOf, verdictOf, type Verdict } from "./figures.ts";
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

/** What was chosen, and why, which is worked out when somebody asks. */
export interface Started extends Omit<Chosen, "reasons"> {
  /** The rules of its engine were asked, and have nothing to say. */
  readonly isSilent: boolean;
  readonly reasons: () => Chosen["reasons"];
}

/** The plan, or why there is none. Where all engines refuse, the one that would be taken says why. */
export function chooseStarted(
  stage: StageStep,
  cluster: ClusterSpec,
  model: SizedModel,
  samples: number,
  course: Course,
): Started {
  const without = (engines: readonly EngineName[]): Chosen => chosenOnce(stage, cluster, model, samples, engines);
  const verdicts = new Map<Evaluated, Verdict>();
  const test = (one: Evaluated): boolean => {
    const verdict = verdicts.get(one) ?? judged(stage, cluster, model, one, course);
    verdicts.set(one, verdict);
    return verdict !== "refused";
  };
  const found = (decidedBy: (raced: Raced) => readonly Evaluated[]): Chosen =>
    untilStarted(
      without,
      ({ best, fastest, isPlainest }) =>
        best === null || fastest === null ? null : decidedBy({ best, fastest, isPlainest }),
      test,
    ) ?? without([]);
  const chosen = found(decidersOf);
  return {
    ...chosen,
    isSilent: chosen.best !== null && verdicts.get(chosen.best) === "silent",
    // They tell how fast the others are: of those that start, too.
    reasons: () => found(({ best, fastest }) => [best, fastest]).reasons,
  };
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
  const test = (one: Evaluated): boolean => judged(stage, cluster, model, one, course) !== "refused";
  return (untilStarted(within, (found) => found && decidersOf(found), test) ?? within([]))?.best ?? null;
}

interface Raced {
  readonly best: Evaluated;
  readonly fastest: Evaluated;
  readonly isPlainest: boolean;
}

/** What the choice rests on: without the fastest, all others may take longer, which leaves the plainest what it is. */
const decidersOf = ({ best, fastest, isPlainest }: Raced): readonly Evaluated[] =>
  isPlainest ? [best] : [best, fastest];

/** Without ever more engines, until all that the choice rests on starts; `null` where none is left. */
function untilStarted<T>(
  chosen: (without: readonly EngineName[]) => T,
  decidersFor: (found: T) => readonly Evaluated[] | null,
  test: (one: Evaluated) => boolean,
): T | null {
  const without: EngineName[] = [];
  for (;;) {
    const found = chosen([...without]);
    const deciders = decidersFor(found);
    if (deciders === null) return null;
    const refused = [...new Set(deciders)].find((one) => !test(one));
    if (refused === undefined) return found;
    without.push(refused.setting.engine.name);
  }
}

function judged(stage: StageStep, cluster: ClusterSpec, model: SizedModel, one: Evaluated, course: Course): Verdict {
  const { steps } = course;
  // A file that names its engine is told what that one has against it.
  if (stage.engine !== null || steps === null) return "started";
  return judgedOnce(stage, cluster, model, one, steps, course.split);
}

/** An engine refuses a stage, and speaks of it, for nothing but what it says, its name left aside, and the layout that was found for it. */
const judgedOnce = remember(
  (stage: StageStep, cluster: ClusterSpec, model: SizedModel, one: Evaluated, steps: number, split: number | null) =>
    verdictOf(stage, figuresOf(stage, model, one, steps, split), cluster),
  () => true,
  (stage, cluster, model, one, ...course) => [
    { ...stage, name: null, needs: null, data: null, model: { ...stage.model, name: null } },
    ...[cluster, model, one.setting.engine.name, one.choice, ...course],
  ],
);
