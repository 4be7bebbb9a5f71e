/** What a property would have been, had its block not said it anew. */
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { describeInstance, type Instance, type ValueEntry } from "./instance.ts";

/** With a note of what stands where the block has it from: that holds where the wrong value is removed. */
export function withInherited(found: Diagnostic, instance: Instance, name: string, entry: ValueEntry): Diagnostic {
  const base = baseOf(instance);
  const above = base?.values.get(name);
  if (base === null || above === undefined || above.expression === entry.expression) return found;
  const { source, start } = above.nameSpan;
  const span = { source, start, end: above.expression.span.end };
  return {
    ...found,
    related: [...found.related, { message: `without it, that of ${describeInstance(base)} holds`, span }],
  };
}

/** The block that it extends; of a group of settings, the same group there. */
export function baseOf(instance: Instance): Instance | null {
  if (instance.parent !== null)
    return baseOf(instance.parent)?.blocks.get(instance.name ?? instance.kind.name) ?? null;
  const { node, module } = instance.symbol ?? {};
  if (node === undefined || module === undefined || node.extends === null) return null;
  const symbol = instance.context.resolve(node.extends, module);
  return symbol === null || symbol === instance.symbol ? null : instance.context.instanceOf(symbol);
}
