/**
 * What no layout of a branch is below: seconds and bytes that a split, a micro-batch and a recomputation cost whatever else is chosen.
 * Most of a layout's cost is that of its blocks, which many layouts share: it is reckoned once. What is left out costs something or
 * nothing, never less.
 */
import { layoutOf } from "../adapter/spread.ts";
import { groundOf } from "../adapter/ground.ts";
import { activationBytes } from "../physics/activations.ts";
import { blockTime } from "../physics/block-time.ts";
import { collectiveSeconds, groupOf } from "../physics/collective.ts";
import type { Engine } from "../physics/engine.ts";
import { inFlight, inFlightByChunk } from "../physics/in-flight.ts";
import { worldOf, type Layout } from "../physics/layout.ts";
import type { Machine } from "../physics/machine.ts";
import { blockParameters, endParameters, paddedVocab, type Held } from "../physics/parameters.ts";
import { productSeconds } from "../physics/product.ts";
import { stagesOf } from "../physics/stages.ts";
import { stateBytes } from "../physics/states.ts";
import type { TimeConstants } from "../physics/time.ts";
import type { Setting } from "../setting.ts";
import { offloaded } from "../time.ts";
import { choiceOf, type Branch, type Variant } from "./space.ts";

/** One branch, ready for its micro-batches. */
export interface Floor {
  /** Of its blocks, stages and loss alone, which many variants have in common. */
  readonly passes: (micro: number, variant: number) => number;
  readonly seconds: (micro: number, variant: number) => number;
  readonly bytes: (micro: number, variant: number) => number;
}

/** Sums in another order differ in their last digits. */
const rounding = 1 - 1e-9;

/** Of one micro-batch, by distinct block. */
interface Costs {
  readonly seconds: readonly number[];
  readonly kept: readonly number[];
  readonly whole: readonly number[];
  /** Head, its gradients and the passes over the logits, on the last stage. */
  readonly loss: number;
  readonly logits: number;
}

interface Stage {
  readonly index: number;
  readonly last: boolean;
  readonly counts: readonly number[];
  /** Micro-batches in flight, in stages full of activations, by how many a step has. */
  readonly flying: Map<number, number>;
}

/** Splits whose blocks cost the same: pipelines only deal them out. */
interface Group {
  readonly costs: Map<number, Costs>;
  readonly held: readonly Held[];
}

export interface Floors {
  readonly of: (branch: Branch) => Floor;
  /** One variant of each kind whose passes take equally long. */
  readonly kinds: readonly number[];
}

export function floorsOf(setting: Setting, variants: readonly Variant[]): Floors {
  const { shape, machine, constants, describe } = groundOf(setting);
  const blocks = [...new Set(shape.blocks)];
  const described = variants.map((variant) => describe(variant).engine);
  const kinds = kindsOf(described, variants);
  const groups = new Map<string, Group>();
  const cuts = new Map<string, readonly Stage[]>();
  const totals = blocks.map((block) => shape.blocks.reduce((sum, one) => sum + (one === block ? 1 : 0), 0));

  const costsOf = (layout: Layout, micro: number, engine: Engine): Costs => {
    const batch = { micro, count: 1, sequence: setting.sequence };
    const tokens = (micro * setting.sequence) / layout.context;
    const rows = paddedVocab(shape.vocab, layout, engine.padding) / layout.tensor;
    const format = engine.format === "fp8" || engine.format === "fp4" ? "bf16" : engine.format;
    const logits = engine.logits * tokens * rows;
    return {
      seconds: blocks.map((block) => {
        const { compute, tensor, expert, ring } = blockTime(shape, block, layout, batch, engine, machine, constants);
        return compute + tensor + expert + ring;
      }),
      kept: blocks.map((block) => activationBytes(shape, block, layout, batch, engine)),
      whole: blocks.map((block) => activationBytes(shape, block, layout, batch, engine, "none")),
      loss:
        (shape.adapters === undefined ? 3 : 2) *
          productSeconds(tokens, shape.hidden, rows, format, machine, constants) +
        (2 * logits) / (constants.memory * machine.bandwidth),
      logits,
    };
  };

  const stagesFor = (layout: Layout, engine: Engine): readonly Stage[] => {
    const key = `${layout.pipeline} ${layout.chunks} ${layout.stages?.join() ?? ""} ${layout.ends?.embedding ?? 0} ${layout.ends?.loss ?? 0}`;
    const known = cuts.get(key);
    if (known !== undefined) return known;
    const found = new Map<string, Stage>();
    stagesOf(shape, layout, engine).forEach((shares, index, all) => {
      const counts = blocks.map((block) => shares.find((share) => share.block === block)?.count ?? 0);
      const last = index === all.length - 1;
      // Of equal stages the first holds most.
      const kind = `${counts.join()} ${index === 0} ${last}`;
      if (!found.has(kind)) found.set(kind, { index, last, counts, flying: new Map() });
    });
    const stages = [...found.values()];
    cuts.set(key, stages);
    return stages;
  };

  const groupFor = (layout: Layout): Group => {
    const key = `${layout.tensor} ${layout.context} ${layout.expert} ${layout.sequence_parallel}`;
    const known = groups.get(key);
    if (known !== undefined) return known;
    const group: Group = { costs: new Map(), held: blocks.map((block) => blockParameters(shape, block, layout)) };
    groups.set(key, group);
    return group;
  };

  const of = (branch: Branch): Floor => {
    const [variant] = variants;
    const [first] = described;
    if (variant === undefined || first === undefined) return { passes: () => 0, seconds: () => 0, bytes: () => 0 };
    const plain = layoutOf(setting, choiceOf(branch, branch.micros[0] ?? 1, variant));
    const layouts: (Layout | undefined)[] = [];
    const layoutAt = (at: number): Layout => {
      const { zero_stage: zero, recompute } = variants[at] ?? variant;
      return (layouts[at] ??= { ...plain, zero, recompute });
    };
    const { chunks } = plain;
    const group = groupFor(plain);
    const stages = stagesFor(plain, first);
    const boundary = boundarySeconds(plain, machine, constants);
    const ends = endParameters(shape, plain, paddedVocab(shape.vocab, plain, first.padding));
    const states: (readonly StageStates[] | undefined)[] = [];

    const costsAt = (micro: number, at: number): Costs => {
      const key = micro * kinds.length + (kinds[at] ?? 0);
      let costs = group.costs.get(key);
      if (costs === undefined) group.costs.set(key, (costs = costsOf(layoutAt(at), micro, described[at] ?? first)));
      return costs;
    };

    const statesOf = (at: number): readonly StageStates[] =>
      stages.map(({ counts, index, last }) => {
        const outer = (index === 0 ? ends.first : 0) + (last ? ends.last : 0);
        const sum = { dense: 0, expert: 0, frozen: 0 };
        group.held.forEach(({ dense, expert, frozen }, block) => {
          const count = counts[block] ?? 0;
          sum.dense += dense * count;
          sum.expert += expert * count;
          sum.frozen += (frozen ?? 0) * count;
        });
        if (shape.adapters === undefined) sum.dense += outer;
        else sum.frozen += outer;
        const { weights, optimizer, gradients } = stateBytes(sum, layoutAt(at), described[at] ?? first);
        const traffic = trafficOf(sum, layoutAt(at), described[at] ?? first, machine, constants);
        return { fixed: weights + optimizer, gradients, ...traffic };
      });

    const hostAt = (micro: number, at: number): number => {
      const chosen = variants[at] ?? variant;
      if (chosen.offload === "none") return 0;
      const parts = offloaded(setting, choiceOf(branch, micro, chosen));
      return Object.values(parts).reduce((sum, part) => sum + part, 0);
    };

    const slowest = ({ seconds, loss }: Costs): number => {
      let most = 0;
      for (const { counts, last } of stages) most = Math.max(most, dot(counts, seconds) + (last ? loss : 0));
      return most;
    };

    const passes = (micro: number, at: number): number => {
      const costs = costsAt(micro, at);
      const count = branch.perReplica / micro;
      const whole = dot(totals, costs.seconds) + costs.loss;
      const one = slowest(costs);
      const waits = (count * chunks + (plain.pipeline - 1) / chunks) * boundary;
      return rounding * (count * one + (whole - one) / chunks + waits + constants.step);
    };

    return {
      passes,
      seconds: (micro, at) => {
        const count = branch.perReplica / micro;
        let exchanged = 0;
        for (const { each, once } of (states[at] ??= statesOf(at)))
          exchanged = Math.max(exchanged, count * each + once);
        const hidden = Math.min(0.98, constants.data_hidden);
        const backward = (2 / 3) * slowest(costsAt(micro, at)) * (layoutAt(at).zero >= 2 ? count : 1);
        const data = Math.max(exchanged - hidden * backward, (1 - hidden) * exchanged);
        return passes(micro, at) + rounding * (data + hostAt(micro, at));
      },
      bytes: (micro, at) => {
        const { kept, whole, logits } = costsAt(micro, at);
        const engine = described[at] ?? first;
        const layout = layoutAt(at);
        const count = branch.perReplica / micro;
        const late = engine.late === true && count === 1 && layout.zero < 3;
        const held = (states[at] ??= statesOf(at));
        let most = 0;
        for (let place = 0; place < stages.length; place++) {
          const stage = stages[place];
          if (stage === undefined) continue;
          const { counts, last } = stage;
          const { fixed = 0, gradients = 0 } = held[place] ?? {};
          const each = dot(counts, kept);
          let largest = 0;
          for (let block = 0; block < counts.length; block++)
            if ((counts[block] ?? 0) > 0) largest = Math.max(largest, whole[block] ?? 0);
          let flying = stage.flying.get(count);
          if (flying === undefined)
            stage.flying.set(count, (flying = flyingOf(shape.blocks.length, layout, count, stage)));
          const begins = (late ? 0 : gradients) + flying * each;
          const atLoss = begins + (last ? logits : 0);
          const again = begins + (layout.recompute === "full" ? largest : 0);
          const runs = gradients + Math.max(0, flying - 1) * each + largest;
          most = Math.max(most, fixed + Math.max(atLoss, again, runs));
        }
        return rounding * (constants.slack * most + constants.runtime + (engine.workspaces ?? 0)) - roundedParts;
      },
    };
  };
  return { of, kinds: [...new Set(kinds)].map((kind) => kinds.indexOf(kind)) };
}

interface StageStates {
  /** Bytes of weights and optimizer states. */
  readonly fixed: number;
  readonly gradients: number;
  /** Seconds in which replicas exchange gradients and weights, each micro-batch and once a step, if messages took no time to start. */
  readonly each: number;
  readonly once: number;
}

type Traffic = Pick<StageStates, "each" | "once">;

function trafficOf(
  { dense, expert, frozen }: { readonly dense: number; readonly expert: number; readonly frozen: number },
  layout: Layout,
  engine: Engine,
  machine: Machine,
  constants: TimeConstants,
): Traffic {
  const { zero, data, context, tensor, shard } = layout;
  const held = layout.expert * layout.expert_tensor;
  const of = (parameters: number, unchanged: number, group: ReturnType<typeof groupOf>): Traffic => {
    const cost = (kind: "reduce" | "gather", bytes: number): number =>
      collectiveSeconds(kind, bytes, group, machine, constants, 0);
    const gradients = engine.reduced * parameters;
    if (zero === 0) return { each: 0, once: cost("reduce", gradients) };
    const scattered = cost("gather", gradients);
    if (zero === 3)
      return { each: 2 * cost("gather", (engine.gathered ?? 2) * (parameters + unchanged)) + scattered, once: 0 };
    const gathered = cost("gather", engine.states.weights * parameters);
    return zero === 2 ? { each: scattered, once: gathered } : { each: 0, once: scattered + gathered };
  };
  const replicas = groupOf(zero === 3 ? (shard ?? data * context) : data * context, tensor, machine.domain);
  const a = of(dense, frozen, replicas);
  const b = of(expert, 0, groupOf(Math.max(1, (data * context * tensor) / held), held, machine.domain));
  return { each: a.each + b.each, once: a.once + b.once };
}

/** A micro-batch's way out of a stage and into it, its bytes aside. */
function boundarySeconds(
  layout: Layout,
  { domain }: Machine,
  { send, send_far, send_growth }: TimeConstants,
): number {
  const world = worldOf(layout);
  const latency = world > domain ? send_far * (world / domain / 16) ** send_growth : send;
  return Math.min(2, layout.pipeline - 1) * latency;
}

/** Chunks that hold an end of the model hold fewer layers. */
function flyingOf(blocks: number, layout: Layout, count: number, { index, last }: Stage): number {
  const { chunks, pipeline, ends } = layout;
  if (ends === undefined || chunks === 1) return inFlight(layout, { count }, index);
  const depth = (blocks + ends.embedding + ends.loss) / (pipeline * chunks);
  const layers = (chunk: number): number =>
    depth - (index === 0 && chunk === 0 ? ends.embedding : 0) - (last && chunk === chunks - 1 ? ends.loss : 0);
  let all = 0;
  let held = 0;
  inFlightByChunk(layout, { count }, index).forEach((flying, chunk) => {
    all += layers(chunk);
    held += flying * layers(chunk);
  });
  return all === 0 ? 0 : held / all;
}

/** A plan's parts are whole bytes. */
const roundedParts = 8;

/** Variants whose blocks cost the same share a number: states and buckets are no business of a block. */
function kindsOf(engines: readonly Engine[], variants: readonly Variant[]): readonly number[] {
  const known = new Map<string, number>();
  return engines.map((engine, at) => {
    const shared = Object.entries(engine).filter(([name]) => !ofStates.has(name));
    const key = JSON.stringify([shared, variants[at]?.recompute]);
    const kind = known.get(key) ?? known.size;
    known.set(key, kind);
    return kind;
  });
}

const ofStates = new Set(["states", "buckets", "gathered"]);

function dot(a: readonly number[], b: readonly number[]): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}
