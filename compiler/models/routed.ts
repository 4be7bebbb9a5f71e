import type { Family, Shape } from "./family.ts";
import { layersOf } from "./measure.ts";

/** What a model says of its experts; nothing where none of its layers has any, whatever its family says of them. */
export function routedOf(family: Family, shape: Shape): Shape["moe"] {
  return layersOf(family, shape).some(({ layer }) => layer.tensors.some(({ routed }) => routed === true))
    ? shape.moe
    : undefined;
}
