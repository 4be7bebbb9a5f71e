import type { Family, Property } from "../../models/family.ts";
import { families } from "../../models/index.ts";

const known: ReadonlySet<string> = new Set([
  "layers",
  "d_model",
  ...Object.values(families).flatMap((family) => Object.keys(family.defaults)),
]);

/** Whether some family has a property of this path. */
export function isKnown(property: string): property is Property {
  return known.has(property);
}

/** Whether models of a family have it. */
export const has = (family: Family, property: string): property is Property =>
  property === "layers" || property === "d_model" || property in family.defaults;
