/** What a call takes that a block of a file answers: a plugin, by its `param`s. */
import type { Constructor, Property, Registry } from "../../kind.ts";
import type { Module } from "../../symbols/symbol.ts";
import { anyType } from "../../types/type.ts";
import { symbolOf } from "../meaning/kinds.ts";
import { paramsOf } from "../meaning/parameters.ts";
import { textOf } from "../positions.ts";
import { typeWritten } from "./type-written.ts";

export function declaredCall(path: readonly string[], module: Module, registry: Registry): Constructor | null {
  const found = symbolOf(path, module);
  if (found === null || found.used < path.length || found.symbol.kind !== "block") return null;
  const parameters: Record<string, Property> = {};
  for (const { node, module: from } of paramsOf(found.symbol, registry)) {
    const { type, default: usual, doc } = node;
    const named = typeWritten(type, from, registry);
    // A block's own comes before what it inherits.
    parameters[node.name.text] ??= {
      type: named ?? anyType,
      doc: doc ?? "",
      ...(usual === null ? { required: true } : { default: textOf(usual.span) }),
    };
  }
  return Object.keys(parameters).length === 0 ? null : { doc: found.symbol.node.doc ?? "", parameters };
}
