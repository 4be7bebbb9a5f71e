import type { Family, Shape } from "./family.ts";
import { layersOf } from "./measure.ts";

/** Experts that no letter of a pattern stands for are no part of a model: its family has what they would be. */
export function withoutUnused(family: Family, shape: Shape): Shape {
  const isLettered = family.layers.every(({ place }) => place.startsWith("letter:"));
  if (shape.moe === undefined || !isLettered || routedOf(family, shape) !== undefined) return shape;
  const { moe: _, ...rest } = shape;
  return rest;
}

/** Whether models of a family may have experts. */
export const mayRoute = ({ layers }: Family): boolean =>
  layers.some(({ tensors }) => tensors.some(({ routed }) => routed === true));

/** What a model says of its experts; nothing where none of its layers has any, whatever its family says of them. */
export function routedOf(family: Family, shape: Shape): Shape["moe"] {
  return layersOf(family, shape).some(({ layer }) => layer.tensors.some(({ routed }) => routed === true))
    ? shape.moe
    : undefined;
}

/** Whether any layer has a feed-forward part that every token passes through. */
export function hasDense(family: Family, shape: Shape): boolean {
  return shape.d_ff > 0 && !layersOf(family, shape).every(({ layer }) => layer.tensors.some((one) => one.routed));
}
