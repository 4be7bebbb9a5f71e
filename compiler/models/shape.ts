/** Reading and writing properties by their paths. */
import type { Draft, Property, Shape } from "./family.ts";

const steps = new Map<string, readonly string[]>();

/** The value at `moe.experts`; `undefined` where the family has none. */
export function valueAt(shape: Shape, property: Property): unknown {
  let path = steps.get(property);
  if (path === undefined) steps.set(property, (path = property.split(".")));
  let value: unknown = shape;
  for (const name of path) value = (value as Readonly<Record<string, unknown>> | undefined)?.[name];
  return value;
}

/** A flat draft as a shape with its groups. */
export function nest(draft: Draft): Partial<Shape> {
  const shape: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(draft)) {
    const [group = path, name] = path.split(".");
    if (name === undefined) shape[path] = value;
    else shape[group] = { ...(shape[group] as object | undefined), [name]: value };
  }
  return shape as Partial<Shape>;
}
