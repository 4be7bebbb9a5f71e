/** A block that extends what is not there: what it does not say itself may well be said by that. */
import type { Path } from "../../syntax/ast.ts";
import { meanings } from "../../types/type.ts";
import type { Instance, Written } from "./instance.ts";

const open = new WeakSet<Instance>();

/** Whether what it does not say itself may be said by a block that nobody knows. */
export const isLeftOpen = (instance: Instance): boolean => open.has(instance);

/**
 * Before it says anything, for what it says may add to what nobody knows: properties without a default, and choices, whose
 * arguments belong to the one that the base would name. Nothing is missing.
 */
export function leaveOpen(instance: Instance, extended: Path, by: Written): void {
  const [{ span }] = extended;
  open.add(instance);
  for (const [name, property] of Object.entries(instance.kind.properties)) {
    instance.strangers.add(name);
    if (property.default !== undefined && meanings(property.type).every(({ kind }) => kind !== "choice")) continue;
    const expression = { kind: "missing" as const, span };
    instance.values.set(name, { kind: "value", expression, nameSpan: span, by, patches: [] });
  }
  for (const name of Object.keys(instance.kind.blocks ?? {})) instance.strangeGroups.add(name);
}
