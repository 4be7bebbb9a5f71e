/** What no layout is below on so many devices, however they are split: bytes of a rank, found without listing the layouts. */
import type { Settings } from "../../pipeline.ts";
import { groundOf } from "../adapter/ground.ts";
import { divisors } from "../divisors.ts";
import { hostRoom } from "../host.ts";
import { hostFloor } from "../memory.ts";
import type { Engine } from "../physics/engine.ts";
import { alone, type Layout } from "../physics/layout.ts";
import { blockParameters } from "../physics/parameters.ts";
import { stateBytes } from "../physics/states.ts";
import { kindsOf } from "../physics/tally.ts";
import type { Setting } from "../setting.ts";
import { variantsOf } from "./space.ts";
import { reachOf, type Reach } from "./world-reach.ts";
import { plus, slicer, sliceOf, times, type Form, type Slice } from "./world-slice.ts";

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

export function worldFloor(setting: Setting, layout: Settings): WorldFloor {
  const { describe } = groundOf(setting);
  const forms = variantsOf(setting, layout).map((variant): Form => ({
    variant,
    engine: describe(variant).engine,
  }));
  const reach = reachOf(setting, layout);
  const slices = slicer(setting, layout, forms, reach);
  const whole = sliceOf(setting, layout, forms, reach, 1);
  return {
    even: (world) => evenFloor(setting, forms, reach, whole, world),
    split: (world, batch) => splitFloor(setting, forms, reach, slices, world, batch),
  };
}

/** The least of all numbers of tensor ranks and of stages. */
function splitFloor(
  setting: Setting,
  forms: readonly Form[],
  { shareOf, context, experts }: Reach,
  slices: (tensor: number) => Slice | null,
  world: number,
  batch: number,
): number {
  const able = forms.filter((form) => hostHolds(setting, form, world));
  const places = able.map((form) => forms.indexOf(form));
  const sizes = divisors(world);
  let least = Infinity;
  for (const tensor of sizes) {
    const slice = slices(tensor);
    if (slice === null) continue;
    for (const pipeline of sizes) {
      if ((world / tensor) % pipeline !== 0) continue;
      const share = shareOf(pipeline);
      if (share === null) continue;
      const data = world / (tensor * pipeline);
      const ranks = Math.min(data, context);
      const flying = Math.min((batch * ranks) / data, pipeline) / ranks;
      const layers = times(share, slice);
      const { first, last, both } = slice.ends;
      // Of a pipeline, the stage of the layers, or one of an end alone: which layers it has beside that depends on the cut.
      const stages = pipeline === 1 ? [plus(layers, both)] : [layers, first, last];
      able.forEach((form, at) => {
        const { variant, engine } = form;
        const zero = variant.zero_stage;
        const spread: Layout = { ...alone, tensor, data, expert: experts, zero, ...overOf(setting) };
        const place = places[at] ?? 0;
        const kept = flying * share * (slice.kept[place] ?? 0);
        const running = (slice.running[place] ?? 0) / ranks;
        const most = stages.map((held, stage) => {
          const { weights, gradients, optimizer } = stateBytes(held, spread, cheapest(engine));
          // What an end keeps beside its tables is left out.
          if (stage > 0) return weights + optimizer + gradients;
          return weights + optimizer + Math.max((isLate(form) ? 0 : gradients) + kept, gradients + running);
        });
        const bytes = Math.max(...most) + gatheredOf(form, slice.unit);
        least = Math.min(least, groundOf(setting).constants.slack * bytes + restOf(setting, engine));
      });
    }
  }
  return least;
}

/** Were everything cut by all devices, or where they share nothing but states, as its stage of sharding cuts it. */
function evenFloor(setting: Setting, forms: readonly Form[], reach: Reach, whole: Slice, world: number): Parts {
  const { shape, constants } = groundOf(setting);
  const { slack } = constants;
  const total = kindsOf(shape).reduce(
    (sum, { block, count }) => plus(sum, times(count, blockParameters(shape, block, alone))),
    whole.ends.both,
  );
  const isWhole = reach.tensor <= 1 && reach.experts === 1 && reach.pipeline === 1;
  const ranks = isWhole ? 1 : world;
  const all = forms.flatMap((form, at): Parts[] => {
    if (!hostHolds(setting, form, world)) return [];
    const { engine, variant } = form;
    const spread: Layout = { ...alone, zero: variant.zero_stage, data: world, ...overOf(setting) };
    const { weights, gradients, optimizer } = stateBytes(total, isWhole ? spread : alone, cheapest(engine));
    const kept = (whole.kept[at] ?? 0) / (isWhole ? Math.min(world, reach.context) : world);
    // Gradients that come late take the place of what layers kept.
    const shared = isLate(form) ? Math.min(gradients / ranks, kept) : 0;
    return [
      {
        isCut: !isWhole,
        states: (slack * (weights + gradients + optimizer)) / ranks,
        activations: slack * (kept - shared),
        gathered: reach.tensor > 1 ? 0 : slack * gatheredOf(form, whole.unit),
        rest: restOf(setting, engine),
      },
    ];
  });
  const none: Parts = { isCut: true, states: Infinity, activations: 0, gathered: 0, rest: 0 };
  return all.reduce((best, parts) => (sumOf(parts) < sumOf(best) ? parts : best), none);
}

const hostHolds = (setting: Setting, { variant }: Form, world: number): boolean =>
  hostFloor(setting, variant, world) * setting.cluster.gpusPerNode <= hostRoom(setting.cluster);

const overOf = ({ shardOver }: Setting): Pick<Layout, "shard"> =>
  shardOver === undefined ? {} : { shard: shardOver };

const isLate = ({ engine, variant }: Form): boolean => engine.late === true && variant.zero_stage < 3;

const restOf = (setting: Setting, { workspaces = 0 }: Engine): number =>
  groundOf(setting).constants.runtime + workspaces;

const gatheredOf = ({ variant: { zero_stage }, engine }: Form, unit: number): number =>
  zero_stage === 3 ? 2 * unit * (engine.gathered ?? engine.states.weights) : 0;

/** With moments of the ends as narrow as those of blocks, or the other way round. */
function cheapest(engine: Engine): Engine {
  const { ends, optimizer } = engine.states;
  if (ends === undefined) return engine;
  return { ...engine, states: { ...engine.states, optimizer: Math.min(optimizer, ends.first, ends.last) } };
}

export const sumOf = ({ states, activations, gathered, rest }: Parts): number =>
  states + activations + gathered + rest;
