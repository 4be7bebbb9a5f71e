/** The nodes of a syntax tree around a place. */
import type { Span } from "../source/source.ts";
import type { Expression, File, Statement } from "../syntax/ast.ts";
import { contains } from "./positions.ts";

export interface AnyNode {
  readonly kind: string;
  readonly span: Span;
}

/** What stands directly inside a node, in no particular order. */
function childrenOf(node: object, found: AnyNode[] = []): AnyNode[] {
  for (const key of Object.keys(node)) {
    if (key === "span" || key === "source") continue;
    const value = (node as Readonly<Record<string, unknown>>)[key];
    if (typeof value !== "object" || value === null) continue;
    if (isNode(value)) found.push(value);
    else childrenOf(value, found);
  }
  return found;
}

const isNode = (value: object): value is AnyNode => "kind" in value && "span" in value;

/** From the outermost to the innermost node that holds an offset. */
export function nodesAt(file: File, offset: number): readonly AnyNode[] {
  const path: AnyNode[] = [];
  let found: AnyNode | undefined = innermost(file.statements, offset);
  while (found !== undefined) {
    path.push(found);
    found = innermost(childrenOf(found), offset);
  }
  return path;
}

/** Of two that touch at the offset, the shorter. */
function innermost(nodes: Iterable<AnyNode>, offset: number): AnyNode | undefined {
  let best: AnyNode | undefined;
  for (const node of nodes) {
    const length = node.span.end - node.span.start;
    if (contains(node.span, offset) && (best === undefined || length < best.span.end - best.span.start)) best = node;
  }
  return best;
}

/** Every node of a file, outer ones first. */
export function* everyNode(file: File): Generator<Statement | Expression> {
  const stack: AnyNode[] = [...file.statements].reverse();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    yield node as Statement | Expression;
    for (const child of childrenOf(node).reverse()) stack.push(child);
  }
}
