/** What no layout of one pipeline is below: seconds and bytes, whatever else is chosen. */
import { layoutOf } from "../adapter/spread.ts";
import { groundOf } from "../adapter/ground.ts";
import type { Layout } from "../physics/layout.ts";
import { endParameters, paddedVocab, type Held } from "../physics/parameters.ts";
import { stateBytes } from "../physics/states.ts";
import type { Setting } from "../setting.ts";
import { offloaded } from "../time.ts";
import { mixed, type Load, type Seconds } from "./costs.ts";
import type { Descriptors } from "./floors.ts";
import { dot, passesOf, rounding, slowestOf, type Pipe, type Stage } from "./pipe.ts";
import { layersOfChunk, leastOf } from "./repeats.ts";
import { choiceOf, type Depth, type Group } from "./space.ts";
import { trafficOf } from "./traffic.ts";

export interface DepthFloor {
  readonly seconds: (micro: number, variant: number) => number;
  readonly bytes: (micro: number, variant: number) => number;
  /** The same with one micro-batch in flight: it grows with the micro-batch. */
  readonly leanest: (micro: number, variant: number) => number;
  /** The fewest layers that may have to run again where a variant has as few run again as fit. */
  readonly repeats: (micro: number, variant: number) => number;
}

/** A plan's parts are whole bytes. */
const roundedParts = 8;

interface StageStates {
  readonly held: Held;
  /** Bytes of weights and optimizer states. */
  readonly fixed: number;
  readonly gradients: number;
}

/** Which layers run again: all that may, none, or none with what is spared of them. */
export type Again = "all" | "none" | "spared";

/** What the group knows of its blocks. */
export interface GroupCosts {
  readonly held: readonly Held[];
  /** Where as few layers run again as fit: of all of them run again, or of none. */
  readonly secondsAt: (micro: number, variant: number, again?: boolean) => Seconds;
  readonly loadAt: (variant: number, again?: Again) => Load;
  readonly room: number;
}

export function depthFloor(
  setting: Setting,
  group: Group,
  depth: Depth,
  costs: GroupCosts,
  { variants, engines }: Pick<Descriptors, "variants" | "engines">,
  pipe: Pipe,
): DepthFloor | null {
  const [variant] = variants;
  const [first] = engines;
  if (variant === undefined || first === undefined) return null;
  const { shape, machine, constants } = groundOf(setting);
  const plain = layoutOf(setting, choiceOf(group, depth, depth.micros[0] ?? 1, variant));
  const layouts: (Layout | undefined)[] = [];
  const layoutAt = (at: number): Layout =>
    (layouts[at] ??= layoutOf(setting, choiceOf(group, depth, depth.micros[0] ?? 1, variants[at] ?? variant)));
  const { stages } = pipe;
  const ends = endParameters(shape, plain, paddedVocab(shape.vocab, plain, first.padding));
  const states: (readonly StageStates[] | undefined)[] = [];

  const statesAt = (at: number): readonly StageStates[] => (states[at] ??= stages.map((stage) => stateOf(stage, at)));

  const stateOf = ({ counts, index, last }: Stage, at: number): StageStates => {
    const outer = (index === 0 ? ends.first : 0) + (last ? ends.last : 0);
    const sum = { dense: 0, expert: 0, frozen: 0 };
    for (let block = 0; block < counts.length; block++) {
      const count = counts[block] ?? 0;
      const held = costs.held[block];
      if (held === undefined || count === 0) continue;
      sum.dense += held.dense * count;
      sum.expert += held.expert * count;
      sum.frozen += (held.frozen ?? 0) * count;
    }
    if (shape.adapters === undefined) sum.dense += outer;
    else sum.frozen += outer;
    const engine = engines[at] ?? first;
    const { weights, optimizer, gradients } = stateBytes(sum, layoutAt(at), engine);
    return { held: sum, fixed: weights + optimizer, gradients };
  };

  const hostAt = (micro: number, at: number): number => {
    const chosen = variants[at] ?? variant;
    if (chosen.offload === "none" || chosen.offload === "activations") return 0;
    const parts = offloaded(setting, choiceOf(group, depth, micro, chosen));
    return Object.values(parts).reduce((sum, part) => sum + part, 0);
  };

  /** `count` micro-batches follow one another; `null`: one is in flight. `share` of the layers run again where as few do as fit. */
  const bytes = (micro: number, at: number, count: number | null, share = 1): number => {
    const { kept, whole, logits } = costs.loadAt(at);
    const isLeast = variants[at]?.least === true;
    const lasting = isLeast && share < 1 ? costs.loadAt(at, share === 0 ? "spared" : "none").kept : null;
    const engine = engines[at] ?? first;
    const layout = layoutAt(at);
    const late = engine.late === true && layout.zero < 3 && (count === null || count === 1);
    const held = statesAt(at);
    let most = 0;
    for (let place = 0; place < stages.length; place++) {
      const stage = stages[place];
      const state = held[place];
      if (stage === undefined || state === undefined) continue;
      const { counts, last } = stage;
      const least = dot(counts, kept);
      const each = micro * (lasting === null ? least : share * least + (1 - share) * dot(counts, lasting));
      let largest = 0;
      for (let block = 0; block < counts.length; block++)
        if ((counts[block] ?? 0) > 0) largest = Math.max(largest, whole[block] ?? 0);
      largest *= micro;
      const flying = count === null ? 1 : stage.flying(count);
      const begins = (late ? 0 : state.gradients) + flying * each;
      const atLoss = begins + (last ? micro * logits : 0);
      const again = begins + (layout.recompute === "full" && (layout.share ?? 1) === 1 && !isLeast ? largest : 0);
      const runs = state.gradients + Math.max(0, flying - 1) * each + largest;
      most = Math.max(most, state.fixed + Math.max(atLoss, again, runs));
    }
    return rounding * (constants.slack * most + constants.runtime + (engine.workspaces ?? 0)) - roundedParts;
  };

  const layers = Math.max(1, layersOfChunk(setting, depth));
  const repeats = (micro: number, at: number): number =>
    leastOf(0, layers, (each) => bytes(micro, at, depth.perReplica / micro, each / layers) <= costs.room);
  /** Seconds with as few layers run again as may fit. */
  const leastSeconds = (micro: number, at: number): Seconds => {
    if (variants[at]?.least !== true) return costs.secondsAt(micro, at);
    const count = repeats(micro, at);
    if (count === layers) return costs.secondsAt(micro, at, true);
    const once = costs.secondsAt(micro, at);
    return count === 0 ? once : mixed(once, costs.secondsAt(micro, at, true), count / layers);
  };

  return {
    seconds: (micro, at) => {
      const count = depth.perReplica / micro;
      let exchanged = 0;
      for (const { held } of statesAt(at)) {
        const { each, once } = trafficOf(held, layoutAt(at), engines[at] ?? first, machine, constants);
        exchanged = Math.max(exchanged, count * each + once);
      }
      const hidden = Math.min(0.98, constants.data_hidden);
      const seconds = leastSeconds(micro, at);
      const backward = (2 / 3) * slowestOf(pipe, seconds) * (layoutAt(at).zero >= 2 ? count : 1);
      const data = Math.max(exchanged - hidden * backward, (1 - hidden) * exchanged);
      return passesOf(pipe, seconds, count, constants.step) + rounding * (data + hostAt(micro, at));
    },
    bytes: (micro, at) => bytes(micro, at, depth.perReplica / micro),
    leanest: (micro, at) => bytes(micro, at, null),
    repeats: (micro, at) => (variants[at]?.least === true ? repeats(micro, at) : 0),
  };
}
