import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { sizeContext } from "../diagnostics/size.ts";
import { engines } from "../engines/index.ts";
import type { ClusterSpec, Pipeline, StageStep } from "../pipeline.ts";
import type { Alternative, Plan, SizedModel, StagePlan } from "../plan.ts";
import type { Evaluated } from "../planner/search/evaluate.ts";
import { alternativesOf, foreignAlternative } from "./parallelize/alternatives.ts";
import { chooseAsAsked } from "./parallelize/as-asked.ts";
import { batchOf, undivided } from "./parallelize/batch.ts";
import { sizedBatch } from "./parallelize/batch-size.ts";
import { conflictsBeside, microsOf } from "./parallelize/conflicts.ts";
import { fasterEngines } from "./parallelize/faster-engines.ts";
import { figuresOf, verdictOf, type Figures } from "./parallelize/figures.ts";
import { hostUnknown } from "./parallelize/host-unknown.ts";
import { unevenTable } from "./parallelize/uneven-table.ts";
import { batchPlanOf, layoutOf } from "./parallelize/laid-out.ts";
import { lengthOf } from "./parallelize/length.ts";
import { originsOf } from "./parallelize/origins.ts";
import { splitOf } from "./parallelize/split.ts";
import { remember } from "./remember.ts";
import { size } from "./size.ts";

export interface Planned {
  readonly plan: Plan;
  readonly diagnostics: readonly Diagnostic[];
}

/** Sizes the model of each stage, fits it to the cluster of the launch, and derives its steps, hours and cost. */
export function plan(pipeline: Pipeline): Planned {
  const stages: StagePlan[] = [];
  const diagnostics: Diagnostic[] = [];
  const seen = new Set<string>();
  for (const stage of pipeline.steps.filter((step) => step.kind === "stage")) {
    const planned = planStage(stage, pipeline);
    if (planned.plan !== null) stages.push(planned.plan);
    for (const diagnostic of planned.diagnostics) {
      // Stages that share a model would each tell of its mistakes.
      const key = `${diagnostic.span.source.path}:${diagnostic.span.start}:${diagnostic.message}`;
      if (!seen.has(key)) diagnostics.push(diagnostic);
      seen.add(key);
    }
  }
  return { plan: { stages }, diagnostics };
}

function planStage(
  written: StageStep,
  pipeline: Pipeline,
): { plan: StagePlan | null; diagnostics: readonly Diagnostic[] } {
  const { cluster } = pipeline.launch;
  const sized = size(written.model);
  const { mended: whole } = sized;
  if (written.batch.value.unit === "auto" && whole === null)
    return { plan: null, diagnostics: [...sized.diagnostics, ...lengthOf(written, pipeline, 1).diagnostics] };
  const stage =
    written.batch.value.unit === "auto" && whole !== null
      ? { ...written, batch: sizedBatch(written, whole, pipeline, cluster) }
      : written;
  const batch = batchOf(stage, cluster);
  const diagnostics: Diagnostic[] = [...sized.diagnostics, ...batch.diagnostics];
  if (whole !== null && stage.sequence.value > whole.context) {
    const slots = { sequence: stage.sequence.value, context: whole.context };
    diagnostics.push(sizeContext(stage.sequence.span, slots, { valid: [`<= ${whole.context}`] }));
  }
  // What is wrong with a length even where a step takes one sample is wrong with whatever batch.
  const length = lengthOf(stage, pipeline, batch.samples ?? 1);
  diagnostics.push(...length.diagnostics);
  if (whole !== null && batch.samples === null) diagnostics.push(...conflictsBeside(stage, cluster, whole));
  if (whole === null || batch.samples === null) return { plan: null, diagnostics };

  const course = { steps: length.steps, split: splitOf(stage, pipeline) };
  const chosen = chooseAsAsked(stage, cluster, whole, batch.samples, course);
  const isForeign = isInexpressible(stage, whole);
  const micros = () => microsOf({ stage, cluster, model: whole, globalBatch: batch.samples ?? 1 });
  const shared = chosen.best === null ? undivided(stage, cluster, batch.samples, chosen.tried, micros) : [];
  if (shared.length > 0) diagnostics.push(...shared, ...conflictsBeside(stage, cluster, whole));
  else if (!isForeign || chosen.best === null) diagnostics.push(...chosen.diagnostics);
  if (chosen.best === null || length.steps === null) return { plan: null, diagnostics };

  const { best, others, reasons } = chosen;
  const { samples } = batch;
  const { engine } = best.setting;
  const figures = figuresOf(stage, whole, best, length.steps, course.split);
  let origins: StagePlan["origins"] | undefined;
  let alternatives: StagePlan["alternatives"] | undefined;
  // Whoever judges a file asks for neither.
  const complete: StagePlan = {
    ...figures,
    get origins() {
      return (origins ??= present(originsOf(stage, pipeline, sized.origins, best, length.rule, reasons()), figures));
    },
    get alternatives() {
      return (alternatives ??= offeredOnce(stage, cluster, whole, samples, figures, { best, others }));
    },
  };
  if (best.fits && !isForeign) diagnostics.push(...hostUnknown(stage, complete, cluster));
  if (!chosen.isSilent)
    for (const rule of engines[engine.name].rules) diagnostics.push(...rule.check(stage, complete, cluster));
  if (best.fits && !isForeign && !chosen.isSilent && cluster.device.kind === "gpu")
    diagnostics.push(...unevenTable(stage, best));
  // What no engine runs has no figures: the rules have said why.
  if (isForeign || sized.model === null) return { plan: null, diagnostics };
  return { plan: complete, diagnostics };
}

/** Origins of what the plan has: some of a layout, and what is trained, stand only where they say something. */
function present(origins: StagePlan["origins"], { layout, total, trained }: Figures): StagePlan["origins"] {
  return Object.fromEntries(
    Object.entries(origins).filter(([path]) => {
      const [group, name = ""] = path.split(".");
      if (group === "trained") return trained !== undefined;
      return group === "layout" ? name in layout : group !== "total" || name in total;
    }),
  );
}

/** What else was possible beside a choice: other engines that would start the stage, which more of it decides than how it is laid out. */
const offeredOnce = remember(
  offered,
  () => true,
  (stage, cluster, model, samples, { total }) => [
    { ...stage, name: null, needs: null, data: null, model: { ...stage.model, name: null } },
    ...[cluster, model, samples, total.steps, total.hours],
  ],
);

function offered(
  stage: StageStep,
  cluster: ClusterSpec,
  model: SizedModel,
  samples: number,
  plan: Figures,
  { best, others }: { readonly best: Evaluated; readonly others: readonly Evaluated[] },
): readonly Alternative[] {
  const beside = besideOnce(best, () => {
    const taken = { engine: best.setting.engine, step: best.time.step };
    const faster = best.fits ? fasterEngines(stage, cluster, model, samples, taken) : [];
    return {
      faster: faster.map((other) => ({ part: partOf(other), told: foreignAlternative(best, other) })),
      others: alternativesOf(best, others),
    };
  });
  const startable = beside.faster.filter(({ part }) => verdictOf(stage, { ...plan, ...part }, cluster) !== "refused");
  return [...startable.map(({ told }) => told), ...beside.others];
}

/** Other engines, which may not start every stage that is laid out so, and other layouts. */
interface Beside {
  readonly faster: readonly { readonly part: Part; readonly told: Alternative }[];
  readonly others: readonly Alternative[];
}

const besides = new WeakMap<object, Beside>();

function besideOnce(chosen: Evaluated, make: () => Beside): Beside {
  const known = besides.get(chosen);
  if (known !== undefined) return known;
  const made = make();
  besides.set(chosen, made);
  return made;
}

/** Is the engine that was named without such a model? */
function isInexpressible({ engine }: StageStep, model: SizedModel): boolean {
  return engine !== null && (engines[engine.value].inexpressible?.(model).length ?? 0) > 0;
}

/** What of a plan is another engine's. */
type Part = Pick<StagePlan, "engine" | "layout" | "batch" | "memory" | "time">;

function partOf(other: Evaluated): Part {
  const { setting, memory, time } = other;
  return { engine: setting.engine.name, layout: layoutOf(other), batch: batchPlanOf(other), memory, time };
}
