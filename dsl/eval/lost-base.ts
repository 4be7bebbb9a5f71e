/** A block that extends what is not there: what it does not say itself may well be said by that. */
import type { Path } from "../syntax/ast.ts";
import type { Instance, Written } from "./instance.ts";

/** No message says that something is absent. Asked for, what such a block must say and this one leaves out is unknown. */
export function leaveOpen(instance: Instance, extended: Path, by: Written): void {
  const [{ span }] = extended;
  for (const [name, { required }] of Object.entries(instance.kind.properties)) {
    instance.strangers.add(name);
    if (required !== true || instance.values.has(name)) continue;
    const expression = { kind: "missing" as const, span };
    instance.values.set(name, { kind: "value", expression, nameSpan: span, by, patches: [] });
  }
  for (const name of Object.keys(instance.kind.blocks ?? {})) instance.strangeGroups.add(name);
}
