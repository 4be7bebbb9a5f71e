/** A block whose `when` is false: what it computes may make sense only where it holds, what it writes down always must. */
import type { Expression } from "../syntax/ast.ts";
import { enclosing, type Instance, type Written } from "./instance.ts";
import { phases } from "./phases.ts";
import { referencesIn } from "./references-in.ts";

export function checkAbsent(instance: Instance): void {
  const { kind, context } = instance;
  for (const [name, { expression, by, patches }] of instance.values) {
    if (name === "when" || !Object.hasOwn(kind.properties, name)) continue;
    const parts = [{ expression, by }, ...patches];
    if (parts.every((part) => isWrittenDown(part.expression, part.by, instance)))
      context.property(instance, name, instance.span);
  }
  for (const child of instance.blocks.values()) checkAbsent(child);
}

/** Speaks of nothing that could be otherwise: of words that the property knows, and of no declaration. */
function isWrittenDown(expression: Expression, { module, locals }: Written, instance: Instance): boolean {
  const around = new Set([...enclosing(instance)].map(({ kind }) => kind.name));
  const mayDiffer = (name: string) =>
    locals.has(name) ||
    module.names.has(name) ||
    around.has(name) ||
    phases.has(name) ||
    name === "host" ||
    name === "env";
  return [...referencesIn(expression)].every((name) => !mayDiffer(name));
}
