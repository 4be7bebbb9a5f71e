/**
 * What no layout is below, from groups of layouts to single ones: seconds and bytes that they cost whatever else is chosen. Most of a
 * layout's cost is that of its blocks, which many layouts share: it is reckoned once. What is left out costs something or nothing,
 * never less.
 */
import { layoutOf } from "../adapter/spread.ts";
import { groundOf } from "../adapter/ground.ts";
import type { Engine } from "../physics/engine.ts";
import type { Layout } from "../physics/layout.ts";
import { blockParameters } from "../physics/parameters.ts";
import type { Block } from "../physics/shape.ts";
import { kindsOf } from "../physics/tally.ts";
import { usableOf } from "../memory.ts";
import { worldOf, type Setting } from "../setting.ts";
import { loadOf, mixed, secondsOf, type Load, type Seconds } from "./costs.ts";
import { depthFloor, type DepthFloor, type GroupCosts } from "./depth-floor.ts";
import { roomOf } from "./evaluate.ts";
import { riskOf } from "./objective.ts";
import { dot, passesOf, piper, rounding } from "./pipe.ts";
import { layersOfChunk } from "./repeats.ts";
import { choiceOf, type Depth, type Group, type Variant } from "./space.ts";

export interface GroupFloor {
  readonly group: Group;
  /** Seconds of each layout of the group, by a kind of variants. */
  readonly seconds: (kind: number) => number;
  /** Those of its layouts with one micro-batch. */
  readonly passing: (micro: number, kind: number) => number;
  /** Those of one pipeline. */
  readonly passes: (depth: Depth, micro: number, kind: number) => number;
  /** What their messages add to the objective, which is the same in all of them. */
  readonly risk: (depth: Depth, micro: number) => number;
  /** Bytes of layers, of what they keep and what stays of them whole, for a micro-batch by its place in `depth.micros`. */
  readonly layers: (depth: Depth, place: number, kind: number) => number;
  /** Micro-batches of which some pipeline holds what the layers keep in `room`. */
  readonly micros: (kind: number, room: number) => readonly number[];
  readonly of: (depth: Depth) => DepthFloor;
}

export interface Floors {
  readonly of: (group: Group) => GroupFloor;
  /** Indices of the variants whose passes take equally long. */
  readonly kinds: readonly (readonly number[])[];
  /** Does a group start the variant of an index? */
  readonly takes: (group: Group, variant: number) => boolean;
}

/** What floors know of a setting. */
export interface Descriptors {
  readonly variants: readonly Variant[];
  readonly engines: readonly Engine[];
  /** Distinct blocks, and how many of each a model has. */
  readonly blocks: readonly Block[];
  readonly totals: readonly number[];
}

/** A micro-batch so large that nothing is lost by starting kernels and messages, or by tiles that are not full. */
const boundless = 2 ** 40;

const nothing: DepthFloor = { seconds: () => 0, bytes: () => 0, leanest: () => 0 };

export function floorsOf(setting: Setting, variants: readonly Variant[]): Floors {
  const { shape, machine, constants, describe } = groundOf(setting);
  const all = kindsOf(shape);
  const blocks = all.map(({ block }) => block);
  const engines = variants.map((variant) => describe(variant).engine);
  const totals = all.map(({ count }) => count);
  const descriptors = { variants, engines, blocks, totals };
  const kindAt = alikeOf(engines, variants);
  const kinds: number[][] = [];
  kindAt.forEach((kind, at) => (kinds[kind] ??= []).push(at));
  const pipeOf = piper(setting, descriptors);
  const world = worldOf(setting.cluster);
  const room = roomOf(usableOf(setting));

  const fewest = new Map<readonly Depth[], ReadonlyMap<number, number>>();
  /** The fewest layers of one sample that a pipeline of these has to hold, by micro-batch. */
  const layersOf = (group: Group): ReadonlyMap<number, number> => {
    const before = fewest.get(group.depths);
    if (before !== undefined) return before;
    const found = new Map<number, number>();
    for (const depth of group.depths) {
      const { layers } = pipeOf(group, depth);
      depth.micros.forEach((micro, place) =>
        found.set(micro, Math.min(found.get(micro) ?? Infinity, layers[place] ?? 0)),
      );
    }
    fewest.set(group.depths, found);
    return found;
  };

  const of = (group: Group): GroupFloor => {
    const { tensor_parallel, context_parallel, depths } = group;
    const [depth] = depths;
    const layouts = kinds.map(([at = 0]) => {
      const variant = variants[at];
      return depth === undefined || variant === undefined
        ? null
        : layoutOf(setting, choiceOf(group, depth, depth.micros[0] ?? 1, variant));
    });
    const passed = new Map<number, Seconds>();
    const loads: (Load | undefined)[] = [];
    const keeping: (Load | undefined)[] = [];
    const isLeast = (kind: number): boolean => variants[kinds[kind]?.[0] ?? 0]?.least === true;
    const floors = new Map<Depth, DepthFloor>();
    /** Of as many layers run again as may be, or as few. */
    const secondsBy = (micro: number, kind: number, again = !isLeast(kind)): Seconds => {
      const key = 2 * (micro * kinds.length + kind) + (again ? 1 : 0);
      const before = passed.get(key);
      if (before !== undefined) return before;
      const layout = layouts[kind];
      const engine = engines[kinds[kind]?.[0] ?? 0];
      if (layout == null || engine === undefined) return { blocks: new Float64Array(blocks.length), loss: 0 };
      const found = secondsOf(setting, blocks, again ? layout : { ...layout, recompute: "none" }, micro, engine);
      passed.set(key, found);
      return found;
    };
    const loadBy = (kind: number, again = true): Load => {
      const layout = layouts[kind];
      const engine = engines[kinds[kind]?.[0] ?? 0];
      if (layout == null || engine === undefined)
        return { kept: new Float64Array(blocks.length), whole: new Float64Array(blocks.length), logits: 0 };
      return again
        ? (loads[kind] ??= loadOf(setting, blocks, leanest(layout, shape.blocks.length), engine))
        : (keeping[kind] ??= loadOf(setting, blocks, { ...layout, recompute: "none" }, engine));
    };
    let costs: GroupCosts | undefined;
    const costsOf = (): GroupCosts =>
      (costs ??= {
        held: layouts[0] == null ? [] : blocks.map((block) => blockParameters(shape, block, layouts[0] as never)),
        secondsAt: (micro, variant, again) => secondsBy(micro, kindAt[variant] ?? 0, again),
        loadAt: (variant, again) => loadBy(kindAt[variant] ?? 0, again),
        room,
      });
    const share = (setting.globalBatch * tensor_parallel * context_parallel) / world;
    /** However deep the pipeline, each rank passes its share of the step's samples. */
    const passing = (micro: number, kind: number, again = 0): number => {
      const { blocks: seconds, loss } = repeatedBy(again, micro, kind);
      return rounding * ((share / micro) * (dot(totals, seconds) + loss) + constants.step) || 0;
    };
    const lean: (number | undefined)[] = [];
    const leanOf = (kind: number): number => constants.slack * (lean[kind] ??= Math.min(...loadBy(kind).kept));
    const lasting: (number | undefined)[] = [];
    /** Share of the layers that have to run again for what they keep to leave room for itself. */
    const shareOf = (at: Depth, place: number, kind: number): number => {
      if (!isLeast(kind)) return 0;
      const { layers, depth: deep } = pipeOf(group, at);
      const held = layers[place] ?? 0;
      const kept = constants.slack * (lasting[kind] ??= Math.min(...loadBy(kind, false).kept)) * held;
      const over = kept + wholeOf(kind) * (deep[place] ?? 0) - room;
      if (over <= 0) return 0;
      const counted = layersOfChunk(setting, at);
      if (counted <= 1) return 1;
      return Math.min(1, Math.ceil((rounding * counted * over) / (kept - leanOf(kind) * held)) / counted);
    };
    const repeatedBy = (share: number, micro: number, kind: number): Seconds => {
      if (share === 1 && isLeast(kind)) return secondsBy(micro, kind, true);
      const once = secondsBy(micro, kind);
      return share === 0 ? once : mixed(once, secondsBy(micro, kind, true), share);
    };
    const leastShare = (micro: number, kind: number): number => {
      let least = isLeast(kind) ? 1 : 0;
      for (const at of depths) {
        if (least === 0) return 0;
        const place = at.micros.indexOf(micro);
        if (place >= 0) least = Math.min(least, shareOf(at, place, kind));
      }
      return least;
    };
    const unsharded: (number | undefined)[] = [];
    /** What no variant of a kind cuts: weights below stage 3, gradients below stage 2 unless they come late. */
    const wholeOf = (kind: number): number =>
      (unsharded[kind] ??=
        constants.slack *
        Math.min(...costsOf().held.map(({ dense, expert }) => dense + expert)) *
        Math.min(
          ...(kinds[kind] ?? []).map((at) => {
            const { states, late } = engines[at] ?? {};
            const { zero_stage: zero = 3 } = variants[at] ?? {};
            const weights = zero < 3 ? (states?.weights ?? 0) : 0;
            return weights + (zero < 2 && late !== true ? (states?.gradients ?? 0) : 0);
          }),
        ));
    return {
      group,
      seconds: (kind) => passing(boundless, kind),
      passing: (micro, kind) => passing(micro, kind, leastShare(micro, kind)),
      passes: (at, micro, kind) =>
        passesOf(
          pipeOf(group, at),
          repeatedBy(shareOf(at, at.micros.indexOf(micro), kind), micro, kind),
          at.perReplica / micro,
          constants.step,
        ) || 0,
      risk: ({ pipeline_parallel: pipeline, virtual_pipeline: chunks, perReplica }, micro) => {
        const data = world / (tensor_parallel * context_parallel * pipeline);
        const split = { tensor: tensor_parallel, context: context_parallel, pipeline, chunks, data };
        const { time_interval } = constants;
        return rounding * riskOf(shape.blocks.length, split, perReplica / micro, machine, constants, time_interval);
      },
      layers: (at, place, kind) => {
        const { layers, depth: deep } = pipeOf(group, at);
        return leanOf(kind) * (layers[place] ?? 0) + wholeOf(kind) * (deep[place] ?? 0);
      },
      micros: (kind, room) => {
        const each = leanOf(kind);
        return [...layersOf(group)].flatMap(([micro, layers]) => (each * layers <= room ? [micro] : []));
      },
      of: (at) => {
        let floor = floors.get(at);
        if (floor === undefined)
          floors.set(
            at,
            (floor = depthFloor(setting, group, at, costsOf(), descriptors, pipeOf(group, at)) ?? nothing),
          );
        return floor;
      },
    };
  };
  const takes: Floors["takes"] = (group, at) => group.takes(variants[at] as Variant);
  return { of, kinds, takes };
}

/** How many layers run again, and together, depends on the stages: no pipeline of a group keeps less than where all do. */
function leanest(layout: Layout, layers: number): Layout {
  const { share, unit, ...plain } = layout;
  if (share === undefined && unit === undefined) return layout;
  return unit === undefined ? plain : { ...plain, unit: Math.max(unit, layers) };
}

/** Variants whose blocks cost the same share a number: states and buckets are no business of a block. */
function alikeOf(engines: readonly Engine[], variants: readonly Variant[]): readonly number[] {
  const known = new Map<string, number>();
  return engines.map((engine, at) => {
    const shared = Object.entries(engine).filter(([name]) => !ofStates.has(name));
    const key = JSON.stringify([shared, variants[at]?.recompute, variants[at]?.least]);
    const kind = known.get(key) ?? known.size;
    known.set(key, kind);
    return kind;
  });
}

const ofStates = new Set(["states", "buckets", "gathered", "reuse"]);
