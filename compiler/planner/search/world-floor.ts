/** What no layout is below on so many devices, however they are split: bytes of a rank, found without listing the layouts. */
import { routedOf } from "../../models/routed.ts";
import type { Settings } from "../../pipeline.ts";
import { groundOf } from "../adapter/ground.ts";
import { allows } from "../allows.ts";
import { divisors } from "../divisors.ts";
import { hostRoom } from "../host.ts";
import { hostFloor } from "../memory.ts";
import { activationBytes } from "../physics/activations.ts";
import type { Engine } from "../physics/engine.ts";
import { alone, type Layout } from "../physics/layout.ts";
import { blockParameters, endParameters, paddedVocab, type Held } from "../physics/parameters.ts";
import { stateBytes } from "../physics/states.ts";
import { kindsOf } from "../physics/tally.ts";
import { pipelineCut } from "../pipeline-cut.ts";
import type { Setting } from "../setting.ts";
import { chunksOf, indivisible, mostOf } from "../splits.ts";
import { variantsOf, type Variant } from "./space.ts";

export interface WorldFloor {
  /** However the devices are split, were everything cut evenly: less with every device more. */
  readonly even: (world: number) => Parts;
  /** Of each split that the engine starts, the least. */
  readonly split: (world: number, batch: number) => number;
}

export interface Parts {
  /** Were the weights cut by all devices? Else each has what its stage of sharding leaves it. */
  readonly isCut: boolean;
  readonly states: number;
  readonly activations: number;
  readonly gathered: number;
  readonly rest: number;
}

/** One way to train, as floors see it. */
interface Form {
  readonly variant: Variant;
  readonly engine: Engine;
}

/** What one rank of `tensor` ranks holds of all layers, if it had the pipeline for itself. */
interface Slice extends Held {
  /** What the first and the last stage hold beside layers: each, and both on one rank. */
  readonly ends: { readonly first: Held; readonly last: Held; readonly both: Held };
  /** The largest layer. */
  readonly unit: number;
  /** Of each form: what the layers keep of one sample, and the largest of them while it runs. */
  readonly kept: readonly number[];
  readonly running: readonly number[];
}

export function worldFloor(setting: Setting, layout: Settings): WorldFloor {
  const { family, model, cluster, sequence, details, shardOver } = setting;
  const { shape, constants, describe } = groundOf(setting);
  const kinds = kindsOf(shape);
  const forms = variantsOf(setting, layout, []).map((variant): Form => ({
    variant,
    engine: describe(variant).engine,
  }));
  const routed = routedOf(family, model);
  const most = (size: Parameters<typeof mostOf>[2]): number => mostOf(setting, layout, size);
  // An engine that splits nothing has one layout, whatever is pinned of splits.
  const neverSplits = Object.values(setting.engine.capabilities.parallel).every((size) => size === 1);
  const takes = (property: "tensor_parallel" | "pipeline_parallel", size: number): boolean =>
    neverSplits ? size === 1 : size <= most(property) && allows(layout, property, size);
  const experts = Math.min(routed?.experts ?? 1, most("expert_parallel"));
  const mostContext = Math.min(sequence, most("context_parallel"));
  // What the engine's own words make of a layout, and layers that run again by a number, are no business of a floor.
  const isPlain = setting.raw === undefined || Object.keys(setting.raw).length === 0;
  const repeatsAll = details?.block === undefined && details?.uniform === undefined;

  const over = shardOver === undefined ? {} : { shard: shardOver };

  const sliceOf = (tensor: number): Slice => {
    const sequence_parallel = tensor > 1 && allows(layout, "sequence_parallel", true);
    const slice = { dense: 0, expert: 0, frozen: 0, unit: 0 };
    const cut: Layout = { ...alone, tensor, sequence_parallel, expert: experts };
    for (const { block, count } of kinds) {
      const { dense, expert, frozen = 0 } = blockParameters(shape, block, cut);
      slice.dense += count * dense;
      slice.expert += count * expert;
      slice.frozen += count * frozen;
      slice.unit = Math.max(slice.unit, dense + expert + frozen);
    }
    const one = { micro: 1, count: 1, sequence };
    const kept = forms.map(({ variant: { recompute, offload }, engine }) => {
      if (offload === "activations" || !repeatsAll || !isPlain) return 0;
      const modules = recompute === "selective" ? details?.modules : undefined;
      const repeated = { ...cut, recompute, ...(modules === undefined ? {} : { modules }) };
      return kinds.reduce(
        (sum, { block, count }) =>
          sum + count * activationBytes(shape, block, repeated, one, engine, recompute, shape.blocks.length),
        0,
      );
    });
    const running = forms.map(({ engine }) =>
      kinds.reduce((most, { block }) => Math.max(most, activationBytes(shape, block, cut, one, engine, "none")), 0),
    );
    return { ...slice, frozen: slice.frozen, kept, running, ends: endsOf(tensor) };
  };
  const endsOf = (tensor: number): Slice["ends"] => {
    const of = (pipeline: number): ReturnType<typeof endParameters> => {
      const rank = { ...alone, tensor, pipeline };
      const rows = Math.min(...forms.map(({ engine }) => paddedVocab(shape.vocab, rank, engine.padding)));
      return endParameters(shape, rank, rows);
    };
    const held = (parameters: number): Held =>
      shape.adapters === undefined
        ? { dense: parameters, expert: 0, frozen: 0 }
        : { dense: 0, expert: 0, frozen: parameters };
    const [one, several] = [of(1), of(2)];
    return { first: held(several.first), last: held(several.last), both: held(one.first + one.last) };
  };
  const slices = new Map<number, Slice | null>();
  /** `null` where tensor ranks cannot be so many. */
  const sliced = (tensor: number): Slice | null => {
    let found = slices.get(tensor);
    if (found === undefined) {
      const can = takes("tensor_parallel", tensor) && indivisible({ ...model, moe: routed }, tensor).length === 0;
      slices.set(tensor, (found = can ? sliceOf(tensor) : null));
    }
    return found;
  };
  const depths = new Map<number, number | null>();
  /** The share of the layers that the fullest of so many stages holds at least; `null` where there cannot be so many. */
  const depthOf = (stages: number): number | null => {
    let found = depths.get(stages);
    if (found === undefined) depths.set(stages, (found = fullest(stages)));
    return found;
  };
  const fullest = (stages: number): number | null => {
    const can =
      stages <= model.layers &&
      takes("pipeline_parallel", stages) &&
      (neverSplits || chunksOf(setting, layout, stages).length > 0);
    if (!can) return null;
    const cut = setting.engine.pipelined === undefined && isPlain ? pipelineCut(model, stages, 1) : null;
    return cut?.kind === "ends" && kinds.length === 1
      ? Math.max(cut.first, cut.middle, cut.last) / model.layers
      : 1 / stages;
  };

  const fixed = (engine: Engine): number => constants.runtime + (engine.workspaces ?? 0);
  const gatheredOf = ({ variant: { zero_stage }, engine }: Form, unit: number): number =>
    zero_stage === 3 ? 2 * unit * (engine.gathered ?? engine.states.weights) : 0;
  const hostHolds = ({ variant }: Form, world: number): boolean =>
    hostFloor(setting, variant, world) * cluster.gpusPerNode <= hostRoom(cluster);

  const split = (world: number, batch: number): number => {
    let least = Infinity;
    const able = forms.map((form) => hostHolds(form, world));
    const sizes = divisors(world);
    for (const tensor of sizes) {
      const slice = sliced(tensor);
      if (slice === null) continue;
      for (const pipeline of sizes) {
        if ((world / tensor) % pipeline !== 0) continue;
        const share = depthOf(pipeline);
        if (share === null) continue;
        const data = world / (tensor * pipeline);
        const context = Math.min(data, mostContext);
        const flying = Math.min((batch * context) / data, pipeline) / context;
        const { first, last, both } = slice.ends;
        const layers = {
          dense: share * slice.dense,
          expert: share * slice.expert,
          frozen: share * (slice.frozen ?? 0),
        };
        // Of a pipeline, the stage of the layers, or one of an end alone: which layers it has beside that depends on the cut.
        const stages = pipeline === 1 ? [plus(layers, both)] : [layers, first, last];
        forms.forEach((form, at) => {
          if (able[at] !== true) return;
          const { variant, engine } = form;
          const zero = variant.zero_stage;
          const spread: Layout = {
            ...alone,
            tensor,
            data,
            expert: experts,
            zero,
            ...over,
          };
          const late = engine.late === true && zero < 3;
          let most = 0;
          stages.forEach((held, stage) => {
            const { weights, gradients, optimizer } = stateBytes(held, spread, cheapest(engine));
            const kept = (late ? 0 : gradients) + flying * share * (slice.kept[at] ?? 0);
            const running = gradients + (slice.running[at] ?? 0) / context;
            // What an end keeps beside its tables is left out.
            most = Math.max(most, weights + optimizer + (stage === 0 ? Math.max(kept, running) : gradients));
          });
          const bytes = most + gatheredOf(form, slice.unit);
          least = Math.min(least, constants.slack * bytes + fixed(engine));
        });
      }
    }
    return least;
  };

  const whole = sliceOf(1);
  const total = kinds.reduce((sum, { block, count }) => {
    const { dense, expert, frozen = 0 } = blockParameters(shape, block, alone);
    return plus(sum, { dense: count * dense, expert: count * expert, frozen: count * frozen });
  }, whole.ends.both);
  const isCut = most("tensor_parallel") > 1;
  const isWhole = !isCut && experts === 1 && most("pipeline_parallel") === 1;
  const even = (world: number): Parts => {
    let best: Parts = { isCut: true, states: Infinity, activations: 0, gathered: 0, rest: 0 };
    forms.forEach((form, at) => {
      if (!hostHolds(form, world)) return;
      const { engine, variant } = form;
      // Where ranks share nothing but states, the stage says how they are cut; else as if all were cut by all of them.
      const spread: Layout = { ...alone, zero: variant.zero_stage, data: world, ...over };
      const { weights, gradients, optimizer } = stateBytes(total, isWhole ? spread : alone, cheapest(engine));
      const states = (weights + gradients + optimizer) / (isWhole ? 1 : world);
      const kept = (whole.kept[at] ?? 0) / (isWhole ? Math.min(world, mostContext) : world);
      // Gradients that come late take the place of what layers kept.
      const late = engine.late === true && variant.zero_stage < 3;
      const shared = late ? Math.min(gradients / (isWhole ? 1 : world), kept) : 0;
      const parts: Parts = {
        isCut: !isWhole,
        states: constants.slack * states,
        activations: constants.slack * (kept - shared),
        gathered: isCut ? 0 : constants.slack * gatheredOf(form, whole.unit),
        rest: fixed(engine),
      };
      if (sumOf(parts) < sumOf(best)) best = parts;
    });
    return best;
  };
  return { even, split };
}

const plus = (a: Held, b: Held): Held => ({
  dense: a.dense + b.dense,
  expert: a.expert + b.expert,
  frozen: (a.frozen ?? 0) + (b.frozen ?? 0),
});

/** With moments of the ends as narrow as those of blocks, or the other way round. */
function cheapest(engine: Engine): Engine {
  const { ends, optimizer } = engine.states;
  if (ends === undefined) return engine;
  return { ...engine, states: { ...engine.states, optimizer: Math.min(optimizer, ends.first, ends.last) } };
}

export const sumOf = ({ states, activations, gathered, rest }: Parts): number =>
  states + activations + gathered + rest;
