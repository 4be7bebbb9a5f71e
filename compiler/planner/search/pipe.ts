/** A pipeline's stages, as all splits with that pipeline share them. */
import { groundOf } from "../adapter/ground.ts";
import { layoutOf } from "../adapter/spread.ts";
import { flyingOf } from "../physics/in-flight.ts";
import type { Layout } from "../physics/layout.ts";
import type { Machine } from "../physics/machine.ts";
import { otherWaits, ownBoundaries } from "../physics/boundaries.ts";
import { crowdOf, sendSeconds, type SendConstants } from "../physics/send.ts";
import { stagesOf } from "../physics/stages.ts";
import type { Setting } from "../setting.ts";
import type { Seconds } from "./costs.ts";
import type { Descriptors } from "./floors.ts";
import { choiceOf, type Depth, type Group } from "./space.ts";

/** Of equal stages the first, which holds most. */
export interface Stage {
  readonly index: number;
  readonly last: boolean;
  /** Of each distinct block. */
  readonly counts: readonly number[];
  /** Micro-batches in flight, in stages full of activations, by how many a step has. */
  readonly flying: (count: number) => number;
}

export interface Pipe {
  readonly stages: readonly Stage[];
  readonly totals: readonly number[];
  readonly pipeline: number;
  readonly chunks: number;
  /** Seconds of a micro-batch's way out of a stage and into it, its bytes aside. */
  readonly boundary: number;
  /** The stage that holds most activations: its layers, and of how many layers it keeps those of one sample, by micro-batch. */
  readonly depth: Float64Array;
  readonly layers: Float64Array;
}

/** Sums in another order differ in their last digits. */
export const rounding = 1 - 1e-9;

type Parts = Pick<Descriptors, "variants" | "engines" | "blocks" | "totals">;

/** Of a group's pipelines; each is made once. */
export function piper(setting: Setting, descriptors: Parts): (group: Group, depth: Depth) => Pipe {
  const { shape, machine, constants } = groundOf(setting);
  const { engines, blocks, totals, variants } = descriptors;
  const stages = new Map<number, readonly Stage[]>();
  const pipes = new Map<Depth, Pipe>();
  const [engine] = engines;
  const [variant] = variants;
  const stagesFor = (layout: Layout): readonly Stage[] => {
    const key = layout.pipeline * (shape.blocks.length + 3) + layout.chunks;
    let found = stages.get(key);
    if (found !== undefined || engine === undefined) return found ?? [];
    const kinds = new Map<string, Stage>();
    stagesOf(shape, layout, engine).forEach((shares, index, all) => {
      // Neighbours in the middle that run the same are of one kind.
      if (index > 1 && index < all.length - 1 && shares === all[index - 1]) return;
      const counts = blocks.map((block) => shares.find((share) => share.block === block)?.count ?? 0);
      const last = index === all.length - 1;
      const kind = `${counts.join()} ${index === 0} ${last}`;
      if (!kinds.has(kind))
        kinds.set(kind, { index, last, counts, flying: flier(shape.blocks.length, layout, index) });
    });
    stages.set(key, (found = [...kinds.values()]));
    return found;
  };
  return (group, depth) => {
    const before = pipes.get(depth);
    if (before !== undefined || variant === undefined) return before ?? none;
    const layout = layoutOf(setting, choiceOf(group, depth, depth.micros[0] ?? 1, variant));
    const { pipeline, chunks } = layout;
    const all = stagesFor(layout);
    const sums = all.map(({ counts }) => counts.reduce((sum, count) => sum + count, 0));
    const fullest = new Float64Array(depth.micros.length);
    const layers = new Float64Array(depth.micros.length);
    depth.micros.forEach((micro, place) => {
      const count = depth.perReplica / micro;
      all.forEach(({ flying }, at) => {
        const sum = sums[at] ?? 0;
        const held = micro * flying(count) * sum;
        if (held <= (layers[place] ?? 0)) return;
        layers[place] = held;
        fullest[place] = sum;
      });
    });
    const boundary = boundarySeconds(layout, machine, constants);
    const pipe = { stages: all, totals, pipeline, chunks, boundary, layers, depth: fullest };
    pipes.set(depth, pipe);
    return pipe;
  };
}

const none: Pipe = {
  stages: [],
  totals: [],
  pipeline: 1,
  chunks: 1,
  boundary: 0,
  layers: new Float64Array(),
  depth: new Float64Array(),
};

/** Seconds of blocks, stages and loss alone, which many variants have in common: `count` micro-batches follow one another. */
export function passesOf(pipe: Pipe, seconds: Seconds, count: number, step: number): number {
  const { chunks } = pipe;
  const whole = dot(pipe.totals, seconds.blocks) + seconds.loss;
  const one = slowestOf(pipe, seconds);
  return rounding * (count * one + (whole - one) / chunks + waitsOf(pipe, count) + step);
}

/** Seconds in which stages wait for each other. */
export const waitsOf = ({ pipeline, chunks, boundary }: Pipe, count: number): number =>
  (count * chunks + otherWaits(pipeline)) * boundary;

export function slowestOf({ stages }: Pipe, { blocks, loss }: Seconds): number {
  let most = 0;
  for (const { counts, last } of stages) {
    const one = dot(counts, blocks) + (last ? loss : 0);
    if (one > most) most = one;
  }
  return most;
}

export function dot(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

function boundarySeconds(layout: Layout, machine: Machine, constants: SendConstants): number {
  return ownBoundaries(layout.pipeline) * sendSeconds(crowdOf(layout, machine), constants);
}

function flier(blocks: number, layout: Layout, index: number): (count: number) => number {
  const known = new Map<number, number>();
  return (count) => {
    let flying = known.get(count);
    if (flying === undefined) known.set(count, (flying = flyingOf(blocks, layout, { count }, index)));
    return flying;
  };
}
