/** What one rank of so many tensor ranks holds of all layers, and of a model's ends, whatever else is split. */
import { routedOf } from "../../models/routed.ts";
import type { Settings } from "../../pipeline.ts";
import { groundOf } from "../adapter/ground.ts";
import { allows } from "../allows.ts";
import { activationBytes } from "../physics/activations.ts";
import type { Engine } from "../physics/engine.ts";
import { alone, type Layout } from "../physics/layout.ts";
import { blockParameters, endParameters, paddedVocab, type Held } from "../physics/parameters.ts";
import { kindsOf } from "../physics/tally.ts";
import type { Setting } from "../setting.ts";
import { indivisible } from "../splits.ts";
import type { Variant } from "./space.ts";
import type { Reach } from "./world-reach.ts";

/** One way to train, as floors see it. */
export interface Form {
  readonly variant: Variant;
  readonly engine: Engine;
}

/** What one rank of `tensor` ranks holds of all layers, if it had the pipeline for itself. */
export interface Slice extends Held {
  /** What the first and the last stage hold beside layers: each, and both on one rank. */
  readonly ends: { readonly first: Held; readonly last: Held; readonly both: Held };
  /** The largest layer. */
  readonly unit: number;
  /** Of each form: what the layers keep of one sample, and the largest of them while it runs. */
  readonly kept: readonly number[];
  readonly running: readonly number[];
}

/** By the number of tensor ranks; `null` where they cannot be so many. */
export function slicer(
  setting: Setting,
  layout: Settings,
  forms: readonly Form[],
  reach: Reach,
): (tensor: number) => Slice | null {
  const routed = routedOf(setting.family, setting.model);
  const slices = new Map<number, Slice | null>();
  return (tensor) => {
    let found = slices.get(tensor);
    if (found === undefined) {
      const can =
        reach.takes("tensor_parallel", tensor) && indivisible({ ...setting.model, moe: routed }, tensor).length === 0;
      slices.set(tensor, (found = can ? sliceOf(setting, layout, forms, reach, tensor) : null));
    }
    return found;
  };
}

export function sliceOf(
  setting: Setting,
  layout: Settings,
  forms: readonly Form[],
  { experts, expertTensor, isPlain }: Reach,
  tensor: number,
): Slice {
  const { sequence, details } = setting;
  const { shape } = groundOf(setting);
  const kinds = kindsOf(shape);
  const repeatsAll = details?.block === undefined && details?.uniform === undefined;
  const sequence_parallel = tensor > 1 && allows(layout, "sequence_parallel", true);
  const cut: Layout = { ...alone, tensor, sequence_parallel, expert: experts };
  // What they gather of each other's tokens is more with every rank, and is left out.
  const owned: Layout = { ...cut, expert_tensor: expertTensor };
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
  const held = kinds.map(({ block, count }) => ({ count, ...blockParameters(shape, block, owned) }));
  const unit = held.reduce((most, { dense, expert, frozen = 0 }) => Math.max(most, dense + expert + frozen), 0);
  const layers = held.reduce<Held>((sum, one) => plus(sum, times(one.count, one)), nothing);
  return { ...layers, unit, kept, running, ends: endsOf(setting, forms, tensor) };
}

function endsOf(setting: Setting, forms: readonly Form[], tensor: number): Slice["ends"] {
  const { shape } = groundOf(setting);
  const of = (pipeline: number): ReturnType<typeof endParameters> => {
    const rank = { ...alone, tensor, pipeline };
    const rows = Math.min(...forms.map(({ engine }) => paddedVocab(shape.vocab, rank, engine.padding)));
    return endParameters(shape, rank, rows);
  };
  const held = (parameters: number): Held =>
    shape.adapters === undefined ? { ...nothing, dense: parameters } : { ...nothing, frozen: parameters };
  const [one, several] = [of(1), of(2)];
  return { first: held(several.first), last: held(several.last), both: held(one.first + one.last) };
}

export const nothing: Held = { dense: 0, expert: 0, frozen: 0 };

export const plus = (a: Held, b: Held): Held => ({
  dense: a.dense + b.dense,
  expert: a.expert + b.expert,
  frozen: (a.frozen ?? 0) + (b.frozen ?? 0),
});

export const times = (n: number, { dense, expert, frozen = 0 }: Held): Held => ({
  dense: n * dense,
  expert: n * expert,
  frozen: n * frozen,
});
