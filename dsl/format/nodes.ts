/** Every node of a tree, outer ones first; what stands inside of strings is part of them. */
import type { Argument, Expression, Name, Statement, TypeExpression, Unit } from "../syntax/ast.ts";

export type AnyNode = Statement | Expression | TypeExpression | Argument | Name | Unit;

export function nodesIn(statements: readonly Statement[]): readonly AnyNode[] {
  const found: AnyNode[] = [];
  collect(statements, found);
  return found;
}

/** Into one list: a generator for each node would hand every one up through all that are around it. */
function collect(value: object, found: AnyNode[]): void {
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) if (typeof item === "object" && item !== null) collect(item, found);
    return;
  }
  if ("kind" in value && "span" in value) {
    found.push(value as AnyNode);
    if (value.kind === "string") return;
  }
  const node = value as Readonly<Record<string, unknown>>;
  for (const key in node) {
    const inner = node[key];
    if (key !== "span" && typeof inner === "object" && inner !== null) collect(inner, found);
  }
}
