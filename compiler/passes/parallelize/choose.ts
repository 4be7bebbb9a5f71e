/** From a stage's pins and bounds to the best plan, or to why there is none. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { ClusterSpec, EngineName } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import { fitOf, hostFits, type Evaluated } from "../../planner/search/evaluate.ts";
import { findAmong } from "../../planner/search/find.ts";
import { askedOf } from "./asked.ts";
import { conflictsOf } from "./conflicts.ts";
import { problemsOf } from "./problems.ts";
import { plainestNear, race, reasonOf } from "./race.ts";
import { tooLarge } from "./too-large.ts";
import type { LaidStage } from "./laid-stage.ts";

export interface Chosen {
  readonly best: Evaluated | null;
  readonly others: readonly Evaluated[];
  /** What the fastest engine would choose, which the choice of the engine is measured by. */
  readonly fastest: Evaluated | null;
  /** No plainer engine holds it: it would be chosen whatever the faster ones took. */
  readonly isPlainest: boolean;
  readonly tried: readonly EngineName[];
  /** Why this engine: shown as its origin. */
  readonly reasons: { readonly engine: string; readonly tried: number };
  readonly diagnostics: readonly Diagnostic[];
}

/** `without`: engines that would not start what they would choose. */
export function choose(
  stage: LaidStage,
  cluster: ClusterSpec,
  model: SizedModel,
  globalBatch: number,
  without: readonly EngineName[] = [],
): Chosen {
  const { tried: all, wrong } = askedOf(stage, cluster, model);
  const asked = { stage, cluster, model, globalBatch, without };
  const tried = all.filter(({ engine }) => !without.includes(engine.name));
  const names = tried.map(({ engine }) => engine.name);
  const nothing = { engine: "", tried: 0 };
  const none = {
    ...{ best: null, others: [], fastest: null, isPlainest: false },
    ...{ tried: names, reasons: nothing, diagnostics: wrong },
  };
  const [plainest] = tried;
  if (wrong.length > 0) return { ...none, diagnostics: conflictsOf(asked) };
  if (plainest === undefined) return none;

  const raced = race(tried, cluster, model, globalBatch, Infinity);
  const taken = plainestNear(raced);
  if (taken !== undefined) {
    const { ranked, considered } = findAmong(taken.problems);
    const [best = taken.best, ...others] = ranked;
    const fastest = raced.at(-1)?.best ?? null;
    const reasons = { engine: reasonOf(raced, tried), tried: considered };
    const isPlainest = taken === raced[0];
    return { best, others, fastest, isPlainest, tried: names, reasons, diagnostics: [] };
  }
  const leanest = leanestOf(
    tried.map((one) => findAmong(problemsOf(one.stage, cluster, model, globalBatch, one.engine)).ranked),
  );
  const [best, ...others] = leanest;
  if (best === undefined) return { ...none, diagnostics: conflictsOf(asked) };
  const reasons = { engine: reasonOf([], tried), tried: 0 };
  return { ...none, best, others, reasons, diagnostics: [tooLarge(asked, best, all)] };
}

/** What comes nearest to fitting: what may fit, from the plainest engine that has it, or else what needs least. */
function leanestOf(found: readonly (readonly Evaluated[])[]): readonly Evaluated[] {
  const some = found.filter((ranked) => ranked.length > 0);
  const perhaps = some.find(([best]) => best && fitOf(best.memory) !== "no" && hostFits(best.setting, best.memory));
  const peak = ([best]: readonly Evaluated[]): number => best?.memory.peak ?? Infinity;
  return perhaps ?? [...some].sort((a, b) => peak(a) - peak(b))[0] ?? [];
}

/** What `choose` would choose and measure it by, or `null` where nothing fits or no step is within so many seconds. */
export function chooseWithin(
  stage: LaidStage,
  cluster: ClusterSpec,
  model: SizedModel,
  globalBatch: number,
  seconds: number,
  without: readonly EngineName[] = [],
): { readonly best: Evaluated; readonly fastest: Evaluated; readonly isPlainest: boolean } | null {
  const { tried, wrong } = askedOf(stage, cluster, model);
  if (wrong.length > 0) return null;
  const able = tried.filter(({ engine }) => !without.includes(engine.name));
  const raced = race(able, cluster, model, globalBatch, seconds);
  const taken = plainestNear(raced);
  const fastest = raced.at(-1)?.best;
  if (taken === undefined || fastest === undefined) return null;
  const { best } = taken;
  return best.time.step <= seconds ? { best, fastest, isPlainest: taken === raced[0] } : null;
}
