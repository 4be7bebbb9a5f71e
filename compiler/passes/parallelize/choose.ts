/** From a stage's pins and bounds to the best plan, or to why there is none. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Span } from "../../../dsl/source/source.ts";
import {
  layoutParallel,
  layoutUnsupported,
  layoutWaits,
  layoutWorld,
  memoryExceeded,
  memoryHost,
  memoryTight,
} from "../../diagnostics/layout.ts";
import { engines } from "../../engines/index.ts";
import { splitsModel, type Engine } from "../../engines/engine.ts";
import { families } from "../../models/index.ts";
import type { ClusterSpec, StageStep } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import { bytes, largestPart, layoutText } from "../../planner/describe.ts";
import { detailText, type Details } from "../../planner/details.ts";
import { allows } from "../../planner/allows.ts";
import { hostRoom, largestHost } from "../../planner/host.ts";
import { hostFits, type Evaluated } from "../../planner/search/evaluate.ts";
import { find, findWithin } from "../../planner/search/find.ts";
import { worldOf, type Setting } from "../../planner/setting.ts";
import { upper } from "../../planner/upper.ts";
import { boundText } from "../size/bounds.ts";
import { conflictsOf } from "./conflicts.ts";
import { leastThatHolds } from "./least.ts";
import { leversOf } from "./levers.ts";
import { wrongDetails } from "./wrong-details.ts";

export interface Chosen {
  readonly best: Evaluated | null;
  readonly others: readonly Evaluated[];
  /** Why this engine: shown as its origin. */
  readonly reasons: { readonly engine: string; readonly tried: number };
  readonly diagnostics: readonly Diagnostic[];
}

const split = [
  "tensor_parallel",
  "pipeline_parallel",
  "virtual_pipeline",
  "context_parallel",
  "expert_parallel",
] as const;

export function choose(stage: StageStep, cluster: ClusterSpec, model: SizedModel, globalBatch: number): Chosen {
  const { candidates, reason, wrong } = askedOf(stage, cluster, model);
  const none = { best: null, others: [], reasons: { engine: reason, tried: 0 } };
  if (wrong.length > 0) return { ...none, diagnostics: wrong };

  let leanest: readonly Evaluated[] = [];
  let tried = 0;
  const settingFor = (engine: Engine): Setting => settingOf(stage, cluster, model, globalBatch, engine);
  for (const engine of candidates) {
    const { ranked, considered } = find(settingFor(engine), stage.layout);
    tried += considered;
    const [best, ...others] = ranked;
    if (best === undefined) continue;
    if (best.fits) return { best, others, reasons: { engine: reason, tried }, diagnostics: [] };
    leanest = ranked;
  }
  const [best, ...others] = leanest;
  const last = candidates.findLast((engine) => !isPipelined(engine)) ?? candidates.at(-1);
  if (best === undefined)
    return { ...none, diagnostics: last === undefined ? [] : conflictsOf(stage, settingFor(last)) };
  // Who names no engine may take one that splits the model.
  const larger = stage.engine === null ? [...new Set([...candidates, engines.megatron])] : candidates;
  const able = larger.filter((engine) => unfit(engine, model, cluster) === null);
  const least = (): string | null => leastThatHolds(able.map(settingFor), stage.layout);
  const foreign = Object.values(engines).filter(
    (engine) => engine.name !== best.setting.engine.name && !candidates.some(({ name }) => name === engine.name),
  );
  const levers = (): string[] =>
    leversOf(stage, [
      best.setting,
      ...foreign.filter((engine) => unfit(engine, model, cluster) === null).map(settingFor),
    ]);
  return { best, others, reasons: { engine: reason, tried }, diagnostics: [tooLarge(stage, best, least, levers)] };
}

/** What `choose` would choose, or `null` where nothing fits or no step is within so many seconds. */
export function chooseWithin(
  stage: StageStep,
  cluster: ClusterSpec,
  model: SizedModel,
  globalBatch: number,
  seconds: number,
): Evaluated | null {
  const { candidates, wrong } = askedOf(stage, cluster, model);
  if (wrong.length > 0) return null;
  for (const engine of candidates) {
    const { best, fits } = findWithin(settingOf(stage, cluster, model, globalBatch, engine), stage.layout, seconds);
    if (fits) return best;
  }
  return null;
}

/** The engines that are tried, in this order, or what is wrong with what was written. */
export function askedOf(
  stage: StageStep,
  cluster: ClusterSpec,
  model: SizedModel,
): { candidates: readonly Engine[]; reason: string; wrong: readonly Diagnostic[] } {
  const wrong = [...impossiblePins(stage), ...wrongWorld(stage, cluster), ...wrongDetails(stage, model)];
  const { candidates, reason } = engineChoice(stage);
  if (wrong.length > 0) return { candidates, reason, wrong };
  // A stage that names no engine waits for one that has its model.
  if (stage.engine !== null) return { candidates, reason, wrong };
  const able = candidates.filter((engine) => unable(engine, stage, model, cluster) === null);
  const [first] = candidates;
  const why = first === undefined ? null : unable(first, stage, model, cluster);
  return { candidates: able, reason, wrong: able.length > 0 ? [] : waitingSplits(stage, why ?? "") };
}

export function settingOf(
  stage: StageStep,
  cluster: ClusterSpec,
  model: SizedModel,
  globalBatch: number,
  engine: Engine,
): Setting {
  return {
    family: families[model.family],
    model,
    cluster,
    engine,
    precision: stage.precision.value,
    attention: stage.attention,
    compile: stage.compile,
    tf32: stage.determinism === "default",
    sequence: stage.sequence.value,
    globalBatch,
    // DeepSpeed keeps a second copy of the weights within a group, torch the only one.
    ...(stage.engine?.value === "torch" && stage.sharding.over !== null
      ? { shardOver: stage.sharding.over.value }
      : {}),
    optimizer: stage.optimizer,
    ...(engine === engines.megatron ? { raw: stage.rawMegatron } : {}),
    ...(engine === engines.deepspeed ? { raw: stage.raw } : {}),
    ...(stage.details === undefined ? {} : { details: stage.details }),
    ...(stage.narrow === undefined ? {} : { narrow: stage.narrow }),
    ...(stage.tuning === undefined ? {} : { tuning: stage.tuning }),
  };
}

/** The engine that was written, or those that can do what the layout asks for, plainest first. */
function engineChoice(stage: StageStep): { candidates: readonly Engine[]; reason: string } {
  if (stage.engine !== null) return { candidates: [engines[stage.engine.value]], reason: "" };
  if (Object.keys(stage.raw).length > 0) return { candidates: [engines.deepspeed], reason: "raw deepspeed is given" };
  if (Object.keys(stage.rawMegatron).length > 0)
    return { candidates: [engines.megatron], reason: "raw megatron is given" };
  const asked = split.filter((property) => leastOf(stage, property) > 1);
  const able = Object.values(engines).filter(({ capabilities }) => asked.every((p) => capabilities.parallel[p] > 1));
  if (asked.length > 0)
    return {
      candidates: partsFirst(able, asked),
      reason: `the layout speaks of ${asked.join(" and ")}`,
    };
  const names = ["zero_stage", "offload"].filter((p) => stage.layout.given.has(p) || stage.layout.bounds.has(p));
  if (names.length > 0)
    return { candidates: [engines.deepspeed], reason: `the layout speaks of ${names.join(" and ")}` };
  // One that splits the model runs its own programs: it is taken where somebody asks for it.
  return {
    candidates: Object.values(engines)
      .filter((engine) => !splitsModel(engine))
      .map((engine) => (engine === engines.torch ? whole(engine) : engine)),
    reason: "the plainest engine whose plan fits",
  };
}

/** torch as it is where nobody names it: every rank holds the whole model, and DeepSpeed shards. */
function whole(engine: Engine): Engine {
  // A copy would load the engine's rules and its lowering.
  return Object.create(engine, {
    capabilities: { value: { ...engine.capabilities, zero_stages: [0] } },
  }) as Engine;
}

/** The smallest size of a split that the layout lets stand. */
function leastOf({ layout }: StageStep, property: (typeof split)[number]): number {
  const pin = layout.given.get(property);
  if (pin !== undefined) return Number(pin.value);
  const bound = layout.bounds.get(property);
  return bound?.oneOf?.reduce<number>((low, v) => Math.min(low, Number(v)), Infinity) ?? bound?.min ?? 1;
}

/** Where a split is a form of its own, no other goes with it, and it comes after one that is a split among others. */
function partsFirst(able: readonly Engine[], asked: readonly (typeof split)[number][]): readonly Engine[] {
  const isForm = ({ pipelined, sharedExperts }: Engine): boolean =>
    (asked.includes("pipeline_parallel") && pipelined !== undefined) ||
    (asked.includes("expert_parallel") && sharedExperts !== undefined);
  const parts = able.filter((engine) => !isForm(engine));
  return asked.length > 1 ? parts : [...parts, ...able.filter(isForm)];
}

const isPipelined = ({ pipelined }: Engine): boolean => pipelined !== undefined;

/** Why an engine that nobody named is not tried. */
function unable(engine: Engine, stage: StageStep, model: SizedModel, cluster: ClusterSpec): string | null {
  const run = { ...stage, model };
  const asks = (property: (typeof split)[number]): boolean => leastOf(stage, property) > 1;
  const uncut = asks("pipeline_parallel") ? (engine.pipelined?.uncut(run) ?? []) : [];
  const unfound = asks("expert_parallel") ? (engine.sharedExperts?.unfound(run) ?? []) : [];
  return uncut[0] ?? unfound[0] ?? unfit(engine, model, cluster);
}

/** Why an engine that splits models has nothing for this one here. */
export function unfit(engine: Engine, model: SizedModel, { device }: ClusterSpec): string | null {
  if (!splitsModel(engine)) return null;
  const { name } = engine;
  if ((engine.inexpressible?.(model).length ?? 0) > 0)
    return `${name}, which splits models so, has none of family ${model.family}`;
  return device.kind === "gpu" ? null : `${name}, which splits models so, trains on GPUs only`;
}

function waitingSplits(stage: StageStep, why: string): Diagnostic[] {
  return split
    .filter((property) => leastOf(stage, property) > 1)
    .map((property) => {
      const pin = stage.layout.given.get(property);
      const bound = stage.layout.bounds.get(property);
      const value = pin === undefined ? (bound === undefined ? "" : boundText(bound)) : `= ${String(pin.value)}`;
      return layoutWaits(pin?.span ?? bound?.spans[0] ?? stage.span, { property, value, why });
    });
}

function impossiblePins(stage: StageStep): Diagnostic[] {
  const found: Diagnostic[] = [];
  const able = engineChoice(stage).candidates;
  const mostOf = (parallel: (typeof split)[number]): number =>
    Math.max(...able.map((e) => e.capabilities.parallel[parallel]));
  // Whoever names an engine is told that it cannot; otherwise the split waits for an engine that can.
  const refuse = (property: string, value: string, span: Span, limit: string): void => {
    const others = Object.values(engines).filter(
      (engine) =>
        split.some((name) => name === property && engine.capabilities.parallel[name] > 1) || splitsModel(engine),
    );
    const slots = {
      property,
      value,
      engine: able.map(({ name }) => name).join(" and "),
      others: others.map(({ name }) => name).join(" or "),
    };
    const fixes = [replacement(span, limit, `use ${property} = ${limit}`)];
    found.push(layoutParallel(span, slots, { valid: [limit], fixes }));
  };
  for (const parallel of split) {
    const bound = stage.layout.bounds.get(parallel);
    const [span] = bound?.spans ?? [];
    const least = leastOf(stage, parallel);
    if (bound !== undefined && span !== undefined && least > mostOf(parallel))
      refuse(parallel, boundText(bound), span, String(mostOf(parallel)));
  }
  for (const [property, { value, span }] of stage.layout.given) {
    const parallel = split.find((name) => name === property);
    if (parallel !== undefined || property === "sequence_parallel") {
      const limit = parallel === undefined ? Number(able.some(splitsModel)) : mostOf(parallel);
      if (value === true && limit === 1) continue;
      if (value === false || (typeof value === "number" && value <= limit)) continue;
      refuse(property, `= ${String(value)}`, span, parallel === undefined ? "false" : String(limit));
    } else if (property !== "micro_batch" && property !== "data_parallel") {
      const has = (engine: Engine): readonly (string | number)[] =>
        property === "zero_stage"
          ? engine.capabilities.zero_stages
          : property === "offload"
            ? engine.capabilities.offload
            : property === "pipeline_schedule"
              ? (engine.capabilities.schedules ?? [])
              : engine.capabilities.recompute;
      const asked = askedOfDetails(property, stage.details ?? {});
      const does = (one: Engine): boolean =>
        has(one).some((each) => each === value) &&
        asked.every((detail) => one.capabilities.details?.includes(detail) === true);
      const valid = [...new Set(able.flatMap(has))];
      if (able.some(does)) continue;
      const engine = able.map((e) => e.name).join(" or ");
      const others = Object.values(engines)
        .filter(does)
        .map((e) => e.name)
        .join(" or ");
      const slots = { property, value: detailText(String(value), stage.details ?? {}), engine, others };
      found.push(layoutUnsupported(span, slots, { valid: valid.map(String) }));
    }
  }
  return found;
}

function askedOfDetails(property: string, details: Details): (keyof Details)[] {
  const of: readonly (keyof Details)[] =
    property === "recompute" ? ["modules", "block", "uniform"] : property === "offload" ? ["offloaded"] : [];
  return of.filter((name) => details[name] !== undefined);
}

/** Where every rank is a replica, their number is the cluster's to say; a pin or a bound can only agree. */
function wrongWorld(stage: StageStep, cluster: ClusterSpec): Diagnostic[] {
  if (engineChoice(stage).candidates.some(splitsModel)) return [];
  // A bound on the ranks that share a sequence or the layers leaves their number to the planner.
  const shares = ["context_parallel", "pipeline_parallel"] as const;
  if (shares.some((size) => stage.layout.bounds.has(size))) return [];
  const world = shares.reduce((ranks, size) => ranks / leastOf(stage, size), worldOf(cluster));
  if (!Number.isInteger(world) || allows(stage.layout, "data_parallel", world)) return [];
  const pin = stage.layout.given.get("data_parallel");
  const bound = stage.layout.bounds.get("data_parallel");
  const value = pin === undefined ? (bound === undefined ? "" : boundText(bound)) : `= ${String(pin.value)}`;
  const slots = { value, world, ranks: `${cluster.nodes} x ${cluster.gpusPerNode} ranks of ${cluster.name}` };
  return [
    layoutWorld(pin?.span ?? bound?.spans[0] ?? stage.span, slots, {
      valid: [String(world)],
      fixes: pin === undefined ? [] : [replacement(pin.span, String(world))],
      related: cluster.span.end === 0 ? [] : [{ message: "the ranks", span: cluster.span }],
    }),
  ];
}

/** Beyond the limit by more than the estimate can be wrong it is an error, otherwise a warning. */
function tooLarge(
  stage: StageStep,
  best: Evaluated,
  least: () => string | null,
  levers: () => readonly string[],
): Diagnostic {
  const { memory, choice, setting } = best;
  const span = stage.layout.given.get("micro_batch")?.span ?? stage.span;
  const slots = {
    peak: bytes(memory.peak),
    usable: bytes(memory.usable),
    layout: layoutText(choice, setting.details),
  };
  const { ram } = setting.cluster;
  const host = memory.host_peak * setting.cluster.gpusPerNode;
  if (!hostFits(setting, memory) && memory.peak <= memory.usable) {
    const room = bytes(hostRoom(setting.cluster));
    const have =
      ram === null
        ? `at most ${room} to give: the cluster says no \`ram\`, and no node has more than ${bytes(largestHost)}`
        : `${room} to give, 90 % of ${bytes(ram)}`;
    return memoryHost(span, { need: bytes(host), have, least: least() });
  }
  if (memory.peak <= memory.usable * upper(memory.error)) return memoryTight(span, slots);
  const fitting = levers();
  const advice =
    fitting.length > 0
      ? `; on these devices it fits ${fitting.join(", or ")}`
      : "; on these devices nothing else that an engine does makes it fit";
  const text = { ...slots, largest: largestPart(memory), advice, least: least() };
  const { device, ramSpan } = setting.cluster;
  // Where a program without a model would not fit, the figure is wrong and not the stage.
  const isFigure = memory.parts.runtime > Math.max(memory.usable, memory.peak / 2);
  return device.kind === "cpu" && ramSpan !== undefined && isFigure
    ? memoryExceeded(ramSpan, text, { related: [{ message: "the stage", span }] })
    : memoryExceeded(span, text);
}
