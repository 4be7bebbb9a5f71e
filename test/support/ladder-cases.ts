/** Models that experts drew, as the sizer is asked for them. */
import type { FamilyName, Scalar } from "../../compiler/pipeline.ts";

export type Values = Readonly<Record<string, Scalar>>;

export interface Case {
  readonly name: string;
  readonly family: FamilyName;
  /** What a file would write: the vocabulary and what the family leaves open. */
  readonly said: Values;
  /** What the experts chose of what the sizer chooses. */
  readonly chosen: Values;
  readonly which?: "active";
  /** Asked for with both counts: how many experts there are is the sizer's to say. */
  readonly both?: true;
  /** Why depth or width is another than the family's other models have it. */
  readonly odd?: string;
}

export const dense = (
  family: FamilyName,
  name: string,
  said: Values,
  shapes: readonly (readonly [string, number, number, number, number, Values?, string?])[],
): Case[] =>
  shapes.map(([size, layers, d_model, heads, d_ff, own = {}, odd]) => ({
    name: `${name} ${size}`,
    family,
    said: { ...said, ...own },
    chosen: { layers, d_model, heads, d_ff },
    ...(odd === undefined ? {} : { odd }),
  }));

export const mixture = (
  family: FamilyName,
  name: string,
  said: Values,
  [layers, d_model, heads, experts, d_ff, top_k]: readonly [number, number, number, number, number, number],
  odd?: string,
): Case => ({
  name,
  family,
  said,
  chosen: { layers, d_model, heads, "moe.experts": experts, "moe.d_ff": d_ff, "moe.top_k": top_k },
  which: "active",
  both: true,
  ...(odd === undefined ? {} : { odd }),
});
