/** All layouts between which the planner chooses, without listing them. */
import type { Engine } from "../../engines/engine.ts";
import type { Settings } from "../../pipeline.ts";
import { allows } from "../allows.ts";
import { microBatches } from "../batch.ts";
import type { Module } from "../physics/layout.ts";
import { worldOf, type Choice, type Setting, type Split } from "../setting.ts";
import { chunksOf, cutsOf, type Cut } from "../splits.ts";
import { evaluate, type Evaluated } from "./evaluate.ts";
import { isCounted, layersOfChunk, leastRepeated } from "./repeats.ts";

/** What is chosen beside a split and a micro-batch. */
export interface Variant extends Pick<Choice, "zero_stage" | "recompute" | "offload"> {
  /** Of `full`: as few layers run again as fit, none where all of them keep what they need (repeats.ts). */
  readonly least?: true;
  /** Of these, modules that run again instead where no whole layer has to. */
  readonly spared?: readonly Module[];
}

/** A pipeline with the micro-batches that divide a replica's share of the batch. */
export interface Depth extends Pick<Split, "pipeline_parallel" | "virtual_pipeline"> {
  /** Samples of a step that one replica sees. */
  readonly perReplica: number;
  readonly micros: readonly number[];
}

/** Splits that cut a layer alike: what a block costs is the same in all of them. */
export interface Group extends Omit<Cut, "pipelines"> {
  readonly depths: readonly Depth[];
  /** Does the engine start a variant so split? Where a split is a form of its own it takes less than goes without it. */
  readonly takes: (variant: Variant) => boolean;
}

export interface Space {
  readonly groups: readonly Group[];
  readonly variants: readonly Variant[];
  /** Of layouts, those that differ in the number of layers that run again counted once. */
  readonly size: number;
  /** Of all. */
  readonly layouts: number;
}

/**
 * Whoever names the chunks of a pipeline gets those that the engine takes. Where words of its own say how layers are cut or take turns, all
 * that are named so, and so where none are left and any such words stand there, which may allow more: its rules judge them.
 */
export function spaceOf(setting: Setting, layout: Settings): Space {
  const { raw = {}, engine } = setting;
  const isNamed = layout.given.has("virtual_pipeline");
  const isWorded = isNamed && engine.cutInWords?.(raw) === true;
  const taken = spaceIn(setting, layout, isWorded);
  const mayAllow = isNamed && !isWorded && Object.keys(raw).length > 0;
  return taken.size > 0 || !mayAllow ? taken : spaceIn(setting, layout, true);
}

function spaceIn(setting: Setting, layout: Settings, asNamed: boolean): Space {
  const all = variantsOf(setting, layout);
  const deal = dealer(setting, layout, asNamed);
  const countsOf = counter(setting);
  const groups: Group[] = [];
  let [size, layouts] = [0, 0];
  for (const { pipelines, ...cut } of cutsOf(setting, layout, asNamed))
    for (const stages of formsOf(setting.engine, pipelines)) {
      const takes = takerOf(setting.engine, cut.expert_parallel, stages);
      const mine = all.filter(takes);
      const taken = mine.length;
      const counted = mine.filter(({ least }) => least === true).length;
      const sparing = mine.filter(({ spared }) => spared !== undefined).length;
      const depths = taken === 0 ? [] : deal(cut.tensor_parallel * cut.context_parallel, stages);
      if (depths.length === 0) continue;
      groups.push({ ...cut, depths, takes });
      const { micros, repeats } = countsOf(depths);
      size += micros * taken;
      layouts += micros * (taken + sparing) + repeats * counted;
    }
  const variants = all.filter((variant) => groups.some(({ takes }) => takes(variant)));
  return { groups, variants, size, layouts };
}

/** Micro-batches of a list of pipelines, and numbers of layers that may run again with each. Groups share the lists. */
function counter(
  setting: Setting,
): (depths: readonly Depth[]) => { readonly micros: number; readonly repeats: number } {
  const known = new Map<readonly Depth[], { readonly micros: number; readonly repeats: number }>();
  return (depths) => {
    let found = known.get(depths);
    if (found === undefined) {
      let [micros, repeats] = [0, 0];
      for (const depth of depths) {
        micros += depth.micros.length;
        repeats += depth.micros.length * Math.max(1, layersOfChunk(setting, depth));
      }
      known.set(depths, (found = { micros, repeats }));
    }
    return found;
  };
}

/** Where a pipeline is a form of its own, what goes without one is apart from it. */
function formsOf({ pipelined }: Engine, pipelines: readonly number[]): readonly (readonly number[])[] {
  if (pipelined === undefined) return [pipelines];
  return [pipelines.filter((stages) => stages === 1), pipelines.filter((stages) => stages > 1)];
}

function takerOf(
  { pipelined, sharedExperts }: Engine,
  experts: number,
  pipelines: readonly number[],
): Group["takes"] {
  const piped = pipelines.some((stages) => stages > 1) ? pipelined : undefined;
  const shared = experts > 1 ? sharedExperts : undefined;
  const forms = [piped, shared].filter((form) => form !== undefined);
  if (forms.length === 0) return () => true;
  return ({ zero_stage, offload }) =>
    forms.every((form) => form.zero_stages.includes(zero_stage) && form.offload.includes(offload));
}

/** Pipelines whose stages are so many ranks wide. Groups that have the same ones share the list. */
function dealer(
  setting: Setting,
  layout: Settings,
  asNamed: boolean,
): (width: number, pipelines: readonly number[]) => readonly Depth[] {
  const world = worldOf(setting.cluster);
  const lists = new Map<string, readonly Depth[]>();
  const chunks = new Map<number, readonly number[]>();
  const cuts = new Map<number, readonly number[]>();
  const microsOf = (samples: number): readonly number[] => {
    let micros = cuts.get(samples);
    if (micros === undefined)
      cuts.set(samples, (micros = microBatches(samples, 1).filter((m) => allows(layout, "micro_batch", m))));
    return micros;
  };
  const dealt = (width: number, stages: number): readonly Depth[] => {
    const replicas = world / (width * stages);
    if (setting.globalBatch % replicas !== 0 || !allows(layout, "data_parallel", replicas)) return [];
    const perReplica = setting.globalBatch / replicas;
    let sizes = chunks.get(stages);
    if (sizes === undefined) chunks.set(stages, (sizes = chunksOf(setting, layout, stages, asNamed)));
    return sizes.flatMap((virtual_pipeline) => {
      // An interleaved schedule hands micro-batches over in groups of one for each stage.
      const turns = virtual_pipeline > 1 && !asNamed;
      const whole = turns ? perReplica / stages : perReplica;
      const micros = Number.isInteger(whole) ? microsOf(whole) : [];
      return micros.length === 0 ? [] : [{ pipeline_parallel: stages, virtual_pipeline, perReplica, micros }];
    });
  };
  return (width, pipelines) => {
    const key = `${width} ${pipelines.join()}`;
    let found = lists.get(key);
    if (found === undefined) lists.set(key, (found = pipelines.flatMap((stages) => dealt(width, stages))));
    return found;
  };
}

/** All that some split of the engine takes. */
export function variantsOf(setting: Setting, layout: Settings): Variant[] {
  const { recompute, zero_stages, offload, offloadAsked } = setting.engine.capabilities;
  // On a CPU machine the host is where everything lies already: only who asks for offload gets it.
  const isNamed = layout.given.has("offload");
  const isFree = setting.cluster.device.kind === "gpu";
  const places = offload.filter(
    (place) =>
      allows(layout, "offload", place) &&
      (isNamed || place === "none" || (isFree && offloadAsked?.includes(place) !== true && isHosted(setting))),
  );
  const isLeast = isCounted(setting, layout);
  const repeats = recompute.filter(
    (r) => allows(layout, "recompute", r) && (r !== "selective" || pays(setting, layout)),
  );
  // What waits on the host is not made a second time.
  const spared = isLeast && allows(layout, "recompute", "selective") ? (setting.engine.spared?.(setting) ?? []) : [];
  const least = { least: true as const, ...(spared.length === 0 ? {} : { spared }) };
  const repeatsFor = (place: Choice["offload"]): readonly Omit<Variant, "zero_stage" | "offload">[] => {
    if (place === "activations")
      return repeats.filter((again) => again === "none").map((recompute) => ({ recompute }));
    if (!isLeast) return repeats.map((recompute) => ({ recompute }));
    return repeats
      .filter((again) => again !== "none")
      .map((again) => (again === "full" ? { recompute: again, ...least } : { recompute: again }));
  };
  return zero_stages
    .filter((stage) => allows(layout, "zero_stage", stage))
    .flatMap((zero_stage) =>
      places
        .filter((place) => (place === "all" ? zero_stage === 3 : place !== "optimizer" || zero_stage > 0))
        .filter((place) => zero_stage === 0 || place === "optimizer" || !keepsStates(setting))
        .flatMap((place) => repeatsFor(place).map((again) => ({ zero_stage, offload: place, ...again }))),
    );
}

function isHosted(setting: Setting): boolean {
  return setting.engine.stepsOnHost?.(setting) !== false;
}

function keepsStates({ engine, optimizer }: Setting): boolean {
  return optimizer !== undefined && engine.wholeStates?.(optimizer.name) === true;
}

/** Recomputing the attention core frees what only the attention that materialises scores keeps. */
function pays({ attention }: Setting, layout: Settings): boolean {
  return attention === "eager" || layout.given.get("recompute")?.value === "selective";
}

/** With all layers run again where the variant asks for as few as fit. */
export function choiceOf(
  group: Group,
  depth: Depth,
  micro_batch: number,
  { zero_stage, recompute, offload }: Variant,
): Choice {
  const { tensor_parallel, context_parallel, expert_parallel, expert_tensor_parallel, sequence_parallel } = group;
  const { pipeline_parallel, virtual_pipeline, perReplica } = depth;
  return {
    tensor_parallel,
    pipeline_parallel,
    virtual_pipeline,
    context_parallel,
    expert_parallel,
    expert_tensor_parallel,
    sequence_parallel,
    micro_batch,
    accumulation: perReplica / micro_batch,
    zero_stage,
    recompute,
    offload,
  };
}

/** In full; as few layers run again as fit where the variant asks for that, of which there are `fewest` at least. */
export function reckoned(
  setting: Setting,
  group: Group,
  depth: Depth,
  micro_batch: number,
  variant: Variant,
  fewest = 0,
): Evaluated {
  const choice = choiceOf(group, depth, micro_batch, variant);
  return variant.least === true ? leastRepeated(setting, choice, variant.spared, fewest) : evaluate(setting, choice);
}

/** Every layout of a space. */
export function allOf(setting: Setting, { groups, variants }: Space): Evaluated[] {
  return groups.flatMap((group) =>
    group.depths.flatMap((depth) =>
      depth.micros.flatMap((micro) =>
        variants.filter(group.takes).map((variant) => reckoned(setting, group, depth, micro, variant)),
      ),
    ),
  );
}
