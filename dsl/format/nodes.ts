/** Every node of a tree, outer ones first; what stands inside of strings is part of them. */
import type { Argument, Expression, Name, Statement, TypeExpression, Unit } from "../syntax/ast.ts";

export type AnyNode = Statement | Expression | TypeExpression | Argument | Name | Unit;

export function* nodesIn(value: unknown): Generator<AnyNode> {
  if (Array.isArray(value)) {
    for (const item of value) yield* nodesIn(item);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  if ("kind" in value && "span" in value) {
    yield value as AnyNode;
    if (value.kind === "string") return;
  }
  for (const [key, inner] of Object.entries(value)) if (key !== "span") yield* nodesIn(inner);
}
