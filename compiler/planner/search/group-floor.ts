/** What no layout of a group is below, whatever its pipeline, micro-batch and variant. */
import { layoutOf } from "../adapter/spread.ts";
import { groundOf } from "../adapter/ground.ts";
import type { Layout, Module } from "../physics/layout.ts";
import { blockParameters } from "../physics/parameters.ts";
import { worldOf, type Setting } from "../setting.ts";
import { loadOf, mixed, secondsOf, type Load, type Seconds } from "./costs.ts";
import { depthFloor, type Again, type DepthFloor, type GroupCosts } from "./depth-floor.ts";
import type { Descriptors } from "./floors.ts";
import { riskOf } from "./objective.ts";
import { passesOf, rounding } from "./pipe.ts";
import { choiceOf, type Depth, type Group } from "./space.ts";
import { layersOf, leastOver, shareOf, sumsOf, type Demand, type Sums, type Way, type Ways } from "./ways.ts";

export interface GroupFloor {
  readonly group: Group;
  readonly ways: Ways;
  /** Seconds of its layouts with one micro-batch, did it lose nothing to tiles and messages; `null` where no pipeline holds what its layers keep. */
  readonly roughly: (micro: number, kind: number) => number | null;
  /** The same with what it loses. */
  readonly passing: (micro: number, kind: number) => number | null;
  /** Those of one pipeline. */
  readonly passes: (way: Way, micro: number, kind: number) => number;
  /** What their messages add to the objective, which is the same in all of them. */
  readonly risk: (depth: Depth, micro: number) => number;
  /** Bytes of layers, of what they keep and what stays of them whole. */
  readonly layers: (way: Way, kind: number) => number;
  readonly of: (depth: Depth) => DepthFloor;
}

/** A micro-batch so large that nothing is lost by starting kernels and messages, or by tiles that are not full. */
export const boundless = 2 ** 40;

const nothing: DepthFloor = { seconds: () => 0, bytes: () => 0, leanest: () => 0, repeats: () => 0 };

/** The layouts of a group, of which each kind of variants runs as few layers again as it may. */
export interface Seed {
  readonly layout: Layout | null;
  /** Of a micro-batch without bounds. */
  readonly seconds: Seconds;
}

export function seedOf(setting: Setting, descriptors: Descriptors, group: Group, kind: number): Seed {
  const { kinds, variants } = descriptors;
  const [depth] = group.depths;
  const variant = variants[kinds[kind]?.[0] ?? 0];
  const layout =
    depth === undefined || variant === undefined
      ? null
      : layoutOf(setting, choiceOf(group, depth, depth.micros[0] ?? 1, variant));
  return { layout, seconds: secondsAt(setting, descriptors, layout, kind, boundless, false) };
}

function secondsAt(
  setting: Setting,
  { kinds, engines, variants, blocks }: Descriptors,
  layout: Layout | null,
  kind: number,
  micro: number,
  isAgain: boolean,
): Seconds {
  const at = kinds[kind]?.[0] ?? 0;
  const engine = engines[at];
  if (layout === null || engine === undefined) return { blocks: blocks.map(() => 0), loss: 0 };
  const isBare = variants[at]?.least === true && !isAgain;
  return secondsOf(setting, blocks, isBare ? { ...layout, recompute: "none" } : layout, micro, engine);
}

export function groupFloor(
  setting: Setting,
  group: Group,
  descriptors: Descriptors,
  seedAt: (kind: number) => Seed,
): GroupFloor {
  const { shape, machine, constants } = groundOf(setting);
  const { variants, engines, kinds, kindAt, blocks, totals, room, pipeOf } = descriptors;
  const { tensor_parallel, context_parallel } = group;
  const world = worldOf(setting.cluster);
  const ways = descriptors.waysOf(group);
  const seeds = kinds.map((_, kind) => seedAt(kind));
  const [plain = null] = seeds.map(({ layout }) => layout);
  const held = plain === null ? [] : blocks.map((block) => blockParameters(shape, block, plain));
  const isLeast = kinds.map(([at = 0]) => variants[at]?.least === true);

  const passed = new Map<number, Seconds>();
  const secondsBy = (micro: number, kind: number, again = false): Seconds => {
    const isAgain = again && isLeast[kind] === true;
    const { layout = null, seconds } = seeds[kind] ?? {};
    if (micro === boundless && !isAgain && seconds !== undefined) return seconds;
    const key = 2 * (micro * kinds.length + kind) + (isAgain ? 1 : 0);
    let found = passed.get(key);
    if (found === undefined) passed.set(key, (found = secondsAt(setting, descriptors, layout, kind, micro, isAgain)));
    return found;
  };

  const loads = new Map<string, Load>();
  const loadBy = (kind: number, again: Again = "all"): Load => {
    const key = `${kind} ${again}`;
    let found = loads.get(key);
    if (found !== undefined) return found;
    const { layout = null } = seeds[kind] ?? {};
    const at = kinds[kind]?.[0] ?? 0;
    const engine = engines[at];
    if (layout === null || engine === undefined)
      found = { kept: blocks.map(() => 0), whole: blocks.map(() => 0), logits: 0 };
    else found = loadOf(setting, blocks, repeating(layout, again, variants[at]?.spared, shape.blocks.length), engine);
    loads.set(key, found);
    return found;
  };
  const leastKept = (kind: number, again?: Again): number => constants.slack * Math.min(...loadBy(kind, again).kept);

  const costs: GroupCosts = {
    held,
    secondsAt: (micro, variant, again) => secondsBy(micro, kindAt[variant] ?? 0, again),
    loadAt: (variant, again) => loadBy(kindAt[variant] ?? 0, again),
    room,
  };

  /** What no variant of a kind cuts: weights below stage 3, gradients below stage 2 unless they come late. */
  const uncut = (kind: number): number => {
    const bytes = (kinds[kind] ?? []).map((at) => {
      const { states, late } = engines[at] ?? {};
      const { zero_stage: zero = 3 } = variants[at] ?? {};
      const weights = zero < 3 ? (states?.weights ?? 0) : 0;
      return weights + (zero < 2 && late !== true ? (states?.gradients ?? 0) : 0);
    });
    return Math.min(...held.map(({ dense, expert }) => dense + expert)) * Math.min(...bytes);
  };
  const demands: (Demand | undefined)[] = [];
  const demandOf = (kind: number): Demand =>
    (demands[kind] ??= {
      lean: leastKept(kind),
      kept: isLeast[kind] === true ? { all: leastKept(kind, "none"), spared: leastKept(kind, "spared") } : null,
      whole: constants.slack * uncut(kind),
    });

  /** Of all pipelines that hold a micro-batch, with the seconds of one that is `by`. */
  const passing = (micro: number, kind: number, by: number): number | null => {
    const sumsAt = (again: 0 | 1): Sums => sumsOf(totals, secondsBy(by, kind, again === 1), micro / by);
    const least = leastOver(ways.get(micro) ?? [], demandOf(kind), room, sumsAt);
    return least === null ? null : rounding ** 2 * (least + constants.step) || 0;
  };

  const repeatedBy = (share: number, micro: number, kind: number): Seconds => {
    if (share === 1) return secondsBy(micro, kind, true);
    const once = secondsBy(micro, kind);
    return share === 0 ? once : mixed(once, secondsBy(micro, kind, true), share);
  };

  const floors = new Map<Depth, DepthFloor>();
  return {
    group,
    ways,
    roughly: (micro, kind) => passing(micro, kind, boundless),
    passing: (micro, kind) => passing(micro, kind, micro),
    passes: (way, micro, kind) => {
      const seconds = repeatedBy(shareOf(way, demandOf(kind), room), micro, kind);
      return passesOf(pipeOf(group, way.depth), seconds, way.count, constants.step) || 0;
    },
    risk: ({ pipeline_parallel: pipeline, virtual_pipeline: chunks, perReplica }, micro) => {
      const data = world / (tensor_parallel * context_parallel * pipeline);
      const split = { tensor: tensor_parallel, context: context_parallel, pipeline, chunks, data };
      const { time_interval } = constants;
      return rounding * riskOf(shape.blocks.length, split, perReplica / micro, machine, constants, time_interval);
    },
    layers: (way, kind) => layersOf(way, demandOf(kind)),
    of: (at) => {
      let floor = floors.get(at);
      if (floor === undefined)
        floors.set(at, (floor = depthFloor(setting, group, at, costs, descriptors, pipeOf(group, at)) ?? nothing));
      return floor;
    },
  };
}

/** How many layers run again, and together, depends on the stages: no pipeline of a group keeps less than where all do. */
function repeating(layout: Layout, again: Again, spared: readonly Module[] | undefined, layers: number): Layout {
  if (again === "spared" && spared !== undefined) return { ...layout, recompute: "selective", modules: spared };
  if (again !== "all") return { ...layout, recompute: "none" };
  const { share, unit, ...plain } = layout;
  if (share === undefined && unit === undefined) return layout;
  return unit === undefined ? plain : { ...plain, unit: Math.max(unit, layers) };
}
