/** A block whose `when` is false: what it computes may make sense only where it holds, what it writes down always must. */
import type { Instance } from "./instance.ts";
import { isWrittenDown } from "../judgement/is-written-down.ts";

export function checkAbsent(instance: Instance): void {
  const { kind, context } = instance;
  for (const [name, { expression, by, patches }] of instance.values) {
    if (name === "when" || !Object.hasOwn(kind.properties, name)) continue;
    const parts = [{ expression, by }, ...patches];
    if (parts.every((part) => isWrittenDown(part.expression, { ...part.by, self: instance })))
      context.property(instance, name, instance.span);
  }
  for (const child of instance.blocks.values()) checkAbsent(child);
}
