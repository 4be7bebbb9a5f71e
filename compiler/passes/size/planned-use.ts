/** How much of their peak devices reach over the run that a budget pays for, as the plan of its stage estimates it. */
import type { ClusterSpec, ModelRequest, Pipeline, StageStep } from "../../pipeline.ts";
import type { SizedModel } from "../../plan.ts";
import { totalOf } from "../../planner/run/total.ts";
import { batchOf } from "../parallelize/batch.ts";
import { sizedBatch } from "../parallelize/batch-size.ts";
import { startedWithin } from "../parallelize/started.ts";
import { remember } from "../remember.ts";
import { size } from "../size.ts";
import { near, optimalRatio, parametersForCompute, parametersForLength, usualUse } from "./budget.ts";
import { most } from "./most.ts";

export interface Spent {
  /** Operations that the devices have in the time that is paid for, at their peak. */
  readonly flops: number;
  readonly peak: number;
  /** Tokens for each parameter that are written; the stage's length decides otherwise, and where that follows from the model the law. */
  readonly ratio: number | null;
  /** The share of the peak that is written. */
  readonly use: number | null;
  readonly which: "total" | "active";
  readonly within: number;
}

export interface Use {
  readonly use: number;
  /** What the stage trains on, where that is what decides. */
  readonly tokens: number | null;
  /** Nothing larger fits, whatever the budget. */
  readonly isFull: boolean;
  /** Not even the model that takes least stays within the budget. */
  readonly isShort: boolean;
}

/** Near enough to look no further, and as many plans as are made to come near and to look around. */
const settled = 0.004;
const [towards, around] = [8, 24];
const step = 0.0025;

/** A shape that no layout cuts stands between shapes that one does: so far on either side, as shares of what is counted on. */
const beside = [0.02, 0.04, 0.06, 0.08, 0.1, 0.13, 0.16, 0.2];

/** As near as it comes to the largest model that fits, and how many that do not are tried, each smaller by the square of the last step. */
const full = 0.02;
const mostMisses = 6;

/** `split`: tokens of the validation split, where the data says how many. `null` where no plan of the stage fits. */
export const plannedUse = remember(useOf, () => true);

/**
 * What is reached where it is counted on: whoever counts on more gets a larger model, which may need another layout and reach less. The
 * model is what its shape comes to and not what was asked for, so that what is reached is its own.
 */
function useOf(
  request: ModelRequest,
  stage: StageStep,
  split: number | null,
  cluster: ClusterSpec,
  spent: Spent,
): Use | null {
  const length = stage.length.value.value;
  const tokens = spent.ratio === null && length > 0 ? length : null;
  if (spent.use !== null) return { use: spent.use, tokens, isFull: false, isShort: false };
  const hours = new Map<string, Taken>();
  let best: { readonly use: number; readonly badness: number } | null = null;
  let cheapest: { readonly use: number; readonly taken: number } | null = null;
  let tooLarge = Infinity;
  const once = (use: number): Taken => {
    const reached = reachedAt(use, request, stage, split, cluster, { ...spent, tokens }, hours);
    if (reached === "too large") tooLarge = Math.min(tooLarge, use);
    if (typeof reached === "number" && use / reached < (cheapest?.taken ?? Infinity))
      cheapest = { use, taken: use / reached };
    const found = typeof reached === "number" ? badness(reached / use - 1) : Infinity;
    if (found < (best?.badness ?? Infinity)) best = { use, badness: found };
    return reached;
  };
  /** What would be reached, of the nearest shape that a layout can cut; `null` where nothing fits. */
  const tried = (use: number): number | "too small" | null => {
    let reached = once(use);
    for (const share of beside) {
      for (const near of [use * (1 - share), use * (1 + share)]) {
        if (reached !== "uncut") break;
        const other = once(near);
        reached = typeof other === "number" ? (other * use) / near : other;
      }
    }
    return typeof reached === "number" || reached === "too small" ? reached : null;
  };
  const isSettled = (): boolean => best !== null && best.badness < settled;

  let [low, high, use] = [0, 1, usualUse];
  let misses = 0;
  // A budget may be thousands of times what the devices hold: each model that does not fit is followed by a much smaller one.
  while (tried(use) === null) {
    if (misses === mostMisses) return null;
    high = use;
    use /= 2 ** (2 ** misses++);
  }
  for (let round = 0; round < towards + misses && !isSettled(); round++) {
    const reached = tried(use);
    if (reached === "too small" || (reached !== null && reached >= use)) low = use;
    else high = use;
    if (low > 0 && high / low - 1 < (high === tooLarge ? full : step)) break;
    const next = (typeof reached === "number" ? reached : use / 2) * (1 - settled / 2);
    if (next > low && next < high) use = next;
    else if (low === 0) use = high / 1.1;
    else use = high > 2 * low ? Math.sqrt(low * high) : (low + high) / 2;
  }
  const nearest = best as { readonly badness: number } | null;
  const isFarFromSpent = high === tooLarge && low > 0 && nearest !== null && nearest.badness > 1;
  // Shapes come in steps: one that was asked for as a little more or less may meet the budget better.
  const middle = low === 0 ? high : low;
  for (let round = 0; round < (isFarFromSpent ? 0 : around) && !isSettled(); round++)
    tried(middle * (1 + step * Math.ceil((round + 1) / 2) * (round % 2 === 0 ? 1 : -1)));
  const kept = (): Use | null => {
    const found = best as { readonly use: number } | null;
    const isFull = found !== null && tooLarge < found.use * (1 + around * step);
    return found === null ? null : { use: found.use, tokens, isFull, isShort: false };
  };
  if (kept() !== null) return kept();
  // A budget may be so small that what it pays for at the devices' peak is no model yet.
  for (let more = 1; cheapest === null && more < 4 ** 12; more *= 4) tried(more);
  // Layers cost time of their own, so that the smallest model need not be the one that takes least.
  const least = (): { readonly use: number; readonly taken: number } | null => cheapest;
  for (const times of [1.25, 1 / 1.25]) {
    let use = least()?.use ?? 0;
    for (let taken = 0; use > 0 && taken < 1.5 * (least()?.taken ?? 0);) {
      use *= times;
      const reached = tried(use);
      taken = typeof reached === "number" ? use / reached : Infinity;
    }
  }
  const short = least();
  return kept() ?? (short === null ? null : { use: short.use, tokens, isFull: false, isShort: true });
}

/** What is left of a budget is better than what it is short of, of which as little as `near` is borne. */
function badness(left: number): number {
  if (left >= 0) return left <= near ? left : near + left;
  return left >= -near ? near - left : Infinity;
}

function reachedAt(
  use: number,
  request: ModelRequest,
  stage: StageStep,
  split: number | null,
  cluster: ClusterSpec,
  { flops, peak, ratio: written, which, within, tokens }: Spent & Pick<Use, "tokens">,
  hours: Map<string, Taken>,
): Taken {
  const ratio = written ?? optimalRatio;
  const target = Math.round(
    tokens === null ? parametersForCompute(flops * use, ratio) : parametersForLength(flops * use, tokens),
  );
  if (target > most.parameters) return "too large";
  const drawn = (count: number): SizedModel | null =>
    size({ ...request, size: { which, target: count, within, span: request.span } }).model;
  const model = drawn(target);
  if (model === null) return larger.some((times) => drawn(times * target) !== null) ? "too small" : "too large";
  const shape = JSON.stringify(model);
  const known = hours.get(shape);
  const taken =
    known === undefined ? hoursOf(model, tokens ?? ratio * model.parameters[which], stage, split, cluster) : known;
  hours.set(shape, taken);
  return typeof taken === "number" ? (use * flops) / (taken * 3600 * peak) : taken;
}

/** Where models begin is between some of these and what is too small for one. */
const larger = [1.5, 4, 16, 256, 4096];

/** A figure of a plan, or why there is none: no model is as small, devices hold none, or no layout that the stage allows cuts it. */
type Taken = number | "too small" | "too large" | "uncut";

/** Device hours of the whole run. */
function hoursOf(
  model: SizedModel,
  tokens: number,
  stage: StageStep,
  split: number | null,
  cluster: ClusterSpec,
): Taken {
  const trained: StageStep = { ...stage, length: { ...stage.length, value: { unit: "tokens", value: tokens } } };
  const none = { steps: [] } as unknown as Pipeline;
  const isOpen = stage.batch.value.unit === "auto";
  const batched = isOpen ? { ...trained, batch: sizedBatch(trained, model, none, cluster) } : trained;
  const { samples } = batchOf(batched, cluster);
  if (samples === null) return "too large";
  const steps = Math.ceil(tokens / (samples * batched.sequence.value));
  const on = (machines: ClusterSpec) => startedWithin(batched, machines, model, samples, Infinity, { steps, split });
  const best = on(cluster);
  if (best !== null) return totalOf(best, batched, steps, split).gpu_hours;
  return on(roomy(cluster)) === null ? "uncut" : "too large";
}

/** The same devices and hosts with room for anything. */
const roomy = (cluster: ClusterSpec): ClusterSpec => ({
  ...cluster,
  ram: 2 ** 60,
  device: { ...cluster.device, memory: 2 ** 60 },
});
