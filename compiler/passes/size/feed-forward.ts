/** How wide feed-forward parts are for their model, beside those that were published. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { sizeWidth } from "../../diagnostics/size.ts";
import type { Draft, Extent, Family, Shape, Tensor } from "../../models/family.ts";
import { holds, layersOf } from "../../models/measure.ts";
import { valueAt } from "../../models/shape.ts";
import type { ModelRequest } from "../../pipeline.ts";
import type { Knob } from "./slope.ts";

interface Published {
  readonly least: { readonly ratio: number; readonly of: string };
  readonly most: { readonly ratio: number; readonly of: string };
}

/** Over the model's width, of decoders; an expert's too. */
const published: Readonly<Record<Knob, Published>> = {
  d_ff: {
    least: { ratio: 2.4, of: "DeepSeek-V2, 12288 / 5120" },
    most: { ratio: 8, of: "Gemma 2B, 16384 / 2048" },
  },
  "moe.d_ff": {
    least: { ratio: 0.25, of: "Qwen3-Next 80B-A3B, 512 / 2048" },
    most: { ratio: 5.3, of: "Grok-1, 32768 / 6144" },
  },
};

/** So many times beyond what was published nobody knows how a model trains. */
const beyond = 2;

/** As far beyond what was published as the sizer goes by itself to meet a count. */
const give = 4 / 3;

export function isUsual(knob: Knob, ratio: number): boolean {
  const { least, most } = published[knob];
  return ratio >= least.ratio / give && ratio <= most.ratio * give;
}

/** A width as near to another as published ones of the knob are. */
export function amongUsual(knob: Knob, width: number, dModel: number): number {
  const { least, most } = published[knob];
  return Math.min(Math.max(width, least.ratio * dModel), most.ratio * dModel);
}

/** A feed-forward part that was written, of layers that are not experts, far from any that was published. */
export function writtenWidth(family: Family, request: ModelRequest, shape: Shape): Diagnostic[] {
  const said = request.given.get("d_ff");
  if (said === undefined) return [];
  const found = odd(family, shape, "d_ff", beyond);
  if (found === null) return [];
  const { ratio, range, valid } = found;
  return [sizeWidth(said.span, { d_ff: shape.d_ff, d_model: shape.d_model, ratio, range }, { valid: [valid] })];
}

/** What the sizer was forced to choose, in words. */
export const forcedWidths = (family: Family, pins: Draft, shape: Shape): readonly string[] =>
  (["d_ff", "moe.d_ff"] as const).flatMap((knob) => {
    const found = pins[knob] === undefined ? odd(family, shape, knob, give) : null;
    const what = knob === "d_ff" ? "a feed-forward part" : "experts";
    return found === null
      ? []
      : [
          `${what} of ${found.width}, ${found.ratio} times the model's ${shape.d_model}; published are ${found.range}`,
        ];
  });

/** A width that is so many times beyond what was published, of layers that the model has. */
function odd(family: Family, shape: Shape, knob: Knob, times: number) {
  const width = Number(valueAt(shape, knob) ?? 0);
  const ratio = width / shape.d_model;
  const { least, most } = published[knob];
  if (ratio >= least.ratio / times && ratio <= most.ratio * times) return null;
  if (!isThere(family, shape, (tensor) => (tensor.routed === true) === (knob === "moe.d_ff"))) return null;
  const tiled = (of: number): number => Math.round((of * shape.d_model) / 128) * 128;
  return {
    width,
    ratio: Number(ratio.toPrecision(2)),
    range: rangeOf(knob),
    valid: `${tiled(least.ratio)}..${tiled(most.ratio)}`,
  };
}

export function rangeOf(knob: Knob): string {
  const { least, most } = published[knob];
  return `${least.ratio} (${least.of}) to ${most.ratio} times (${most.of})`;
}

const isThere = (family: Family, shape: Shape, isOne: (tensor: Tensor) => boolean): boolean =>
  layersOf(family, shape).some(({ layer }) =>
    layer.tensors.some(
      (tensor) =>
        tensor.role === "matrix" && isOne(tensor) && holds(shape, tensor.when) && tensor.shape.some(isWidth),
    ),
  );

const isWidth = (side: Extent): boolean =>
  side === "d_ff" || side === "moe.d_ff" || (Array.isArray(side) && side.some((factor: Extent) => isWidth(factor)));
