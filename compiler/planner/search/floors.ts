/**
 * What no layout is below, from groups of layouts to single ones: seconds and bytes that they cost whatever else is chosen. Most of a
 * layout's cost is that of its blocks, which many layouts share: it is reckoned once. What is left out costs something or nothing,
 * never less.
 */
import { groundOf } from "../adapter/ground.ts";
import type { Engine } from "../physics/engine.ts";
import type { Block } from "../physics/shape.ts";
import { kindsOf } from "../physics/tally.ts";
import { usableOf } from "../memory.ts";
import { worldOf, type Setting } from "../setting.ts";
import { roomOf } from "./evaluate.ts";
import { boundless, groupFloor, seedOf, type GroupFloor, type Seed } from "./group-floor.ts";
import { piper, rounding, type Pipe } from "./pipe.ts";
import type { Depth, Group, Variant } from "./space.ts";
import { sumsOf, waysIn, type Ways } from "./ways.ts";

export interface Floors {
  /** Seconds of each layout of the groups that differ from one in nothing but the ranks that share experts. */
  readonly alike: (group: Group, kind: number) => number;
  /** Seconds of each layout of a group, by a kind of variants. */
  readonly seconds: (group: Group, kind: number) => number;
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
  readonly kinds: readonly (readonly number[])[];
  readonly kindAt: readonly number[];
  /** Distinct blocks, and how many of each a model has. */
  readonly blocks: readonly Block[];
  readonly totals: readonly number[];
  /** Bytes that a layout may be reckoned at and fit. */
  readonly room: number;
  readonly pipeOf: (group: Group, depth: Depth) => Pipe;
  readonly waysOf: (group: Group) => Ways;
}

export function floorsOf(setting: Setting, variants: readonly Variant[]): Floors {
  const { shape, constants, describe } = groundOf(setting);
  const all = kindsOf(shape);
  const blocks = all.map(({ block }) => block);
  const engines = variants.map((variant) => describe(variant).engine);
  const totals = all.map(({ count }) => count);
  const kindAt = alikeOf(engines, variants);
  const kinds: number[][] = [];
  kindAt.forEach((kind, at) => (kinds[kind] ??= []).push(at));
  const pipeOf = piper(setting, { variants, engines, blocks, totals });
  const room = roomOf(usableOf(setting));
  const waysOf = waysIn(setting, pipeOf);
  const descriptors = { variants, engines, kinds, kindAt, blocks, totals, room, pipeOf, waysOf };
  const world = worldOf(setting.cluster);
  const seeds = new Map<Group, (Seed | undefined)[]>();
  const seedAt = (group: Group, kind: number): Seed => {
    let known = seeds.get(group);
    if (known === undefined) seeds.set(group, (known = []));
    return (known[kind] ??= seedOf(setting, descriptors, group, kind));
  };
  const floors = new Map<Group, GroupFloor>();
  // However deep the pipeline, each rank passes its share of the step's samples.
  const passesOf = ({ tensor_parallel, context_parallel }: Group, { seconds }: Seed): number => {
    const share = (setting.globalBatch * tensor_parallel * context_parallel) / world;
    return sumsOf(totals, seconds, share / boundless).whole + constants.step;
  };
  return {
    // Ranks that share experts have the same products to do, wait for the fullest of them and send each other tokens.
    alike: (group, kind) => {
      const { expert_parallel } = group;
      const seed =
        expert_parallel === 1
          ? seedAt(group, kind)
          : seedOf(setting, descriptors, { ...group, expert_parallel: 1 }, kind);
      return rounding ** 4 * passesOf(group, seed) || 0;
    },
    kinds,
    takes: (group, at) => group.takes(variants[at] as Variant),
    seconds: (group, kind) => rounding ** 3 * passesOf(group, seedAt(group, kind)) || 0,
    of: (group) => {
      let floor = floors.get(group);
      if (floor === undefined)
        floors.set(group, (floor = groupFloor(setting, group, descriptors, (kind) => seedAt(group, kind))));
      return floor;
    },
  };
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
