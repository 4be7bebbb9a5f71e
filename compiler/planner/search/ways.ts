/** The pipelines of a group as its floors read them, by micro-batch: numbers alone, which groups that have the same pipelines share. */
import type { Setting } from "../setting.ts";
import type { Seconds } from "./costs.ts";
import { dot, rounding, waitsOf, type Pipe } from "./pipe.ts";
import { layersOfChunk } from "./repeats.ts";
import type { Depth, Group } from "./space.ts";

/** A pipeline with one of its micro-batches. */
export interface Way {
  readonly depth: Depth;
  /** Layers of one sample that the stage keeps which holds most activations, and its own layers. */
  readonly held: number;
  readonly deep: number;
  /** Layers of a chunk of which any number may run again; at most 1 where there is no such number. */
  readonly counted: number;
  /** Layers of the stage that has most, and of the last one. */
  readonly most: number;
  readonly last: number;
  readonly count: number;
  /** Seconds in which stages wait for each other. */
  readonly waits: number;
}

/** By micro-batch. */
export type Ways = ReadonlyMap<number, readonly Way[]>;

export function waysIn(setting: Setting, pipeOf: (group: Group, depth: Depth) => Pipe): (group: Group) => Ways {
  const known = new Map<readonly Depth[], Ways>();
  return (group) => {
    const before = known.get(group.depths);
    if (before !== undefined) return before;
    const found = new Map<number, Way[]>();
    for (const depth of group.depths) {
      const pipe = pipeOf(group, depth);
      const counted = layersOfChunk(setting, depth);
      let [most, last] = [0, 0];
      for (const stage of pipe.stages) {
        const layers = stage.counts.reduce((sum, each) => sum + each, 0);
        most = Math.max(most, layers);
        if (stage.last) last = layers;
      }
      depth.micros.forEach((micro, place) => {
        const [held = 0, deep = 0] = [pipe.layers[place], pipe.depth[place]];
        const count = depth.perReplica / micro;
        const way = { depth, held, deep, counted, most, last, count, waits: waitsOf(pipe, count) };
        const ways = found.get(micro);
        if (ways === undefined) found.set(micro, [way]);
        else ways.push(way);
      });
    }
    known.set(group.depths, found);
    return found;
  };
}

/** Bytes that a kind of variants holds at least: of a layer's sample where all that may run again does, and of a layer whatever runs again. */
export interface Demand {
  readonly lean: number;
  /** Of a sample where nothing runs again, and where no product does; `null` where the variants leave nothing open. */
  readonly kept: { readonly all: number; readonly spared: number } | null;
  readonly whole: number;
}

export const layersOf = ({ held, deep }: Way, { lean, whole }: Demand): number => lean * held + whole * deep;

/** Share of the layers that have to run again for what they keep to leave room for itself. */
export function shareOf({ held, deep, counted }: Way, { lean, kept, whole }: Demand, room: number): number {
  if (kept === null) return 0;
  if (kept.spared * held + whole * deep <= room) return 0;
  if (counted <= 1) return 1;
  const over = kept.all * held + whole * deep - room;
  return Math.min(1, Math.ceil((rounding * counted * over) / ((kept.all - lean) * held)) / counted);
}

/** Of one micro-batch: seconds of all blocks and the loss, of the least block, and of the loss alone. */
export interface Sums {
  readonly whole: number;
  readonly least: number;
  readonly loss: number;
}

export const sumsOf = (totals: readonly number[], { blocks, loss }: Seconds, scale: number): Sums => ({
  whole: scale * (dot(totals, blocks) + loss),
  least: scale * Math.min(...blocks),
  loss: scale * loss,
});

/**
 * What passes take at least in any of the ways that have room, whatever blocks are where: no stage is below its share of them all, nor
 * below its layers as if each were the least. `sums`: with no layer run again, or with all.
 */
export function leastOver(
  ways: readonly Way[],
  demand: Demand,
  room: number,
  sums: (again: 0 | 1) => Sums,
): number | null {
  let found: number | null = null;
  let [once, again]: (Sums | null)[] = [null, null];
  for (const way of ways) {
    if (layersOf(way, demand) > room) continue;
    const share = shareOf(way, demand, room);
    if (share < 1) once ??= sums(0);
    if (share > 0) again ??= sums(1);
    const a = (share < 1 ? once : again) as Sums;
    const b = (share > 0 ? again : once) as Sums;
    const whole = (1 - share) * a.whole + share * b.whole;
    const least = (1 - share) * a.least + share * b.least;
    const { depth, most, last, count, waits } = way;
    const { pipeline_parallel: pipeline, virtual_pipeline: chunks } = depth;
    const slowest = Math.max(whole / pipeline, most * least, last * least + a.loss);
    const seconds = (count - 1 / chunks) * slowest + whole / chunks + waits;
    // What is no number is below every other.
    if (found === null || !(seconds >= found)) found = seconds;
  }
  return found;
}
