/** Functions that come back to themselves, found in what is written: no value has to lead there. */
import type { Span } from "../../source/source.ts";
import type { Module, Symbol } from "../../symbols/symbol.ts";
import type { Expression, Function as FunctionNode } from "../../syntax/ast.ts";

interface Called {
  readonly node: FunctionNode;
  readonly module: Module;
}

export interface Recursion {
  readonly chain: string;
  /** The call that closes the circle. */
  readonly at: Span;
}

/** The circle that a function is part of, told from its first function on, whichever one is asked about. */
export function recursionOf(start: Called): Recursion | null {
  const seen = new Set<FunctionNode>();
  const way = (from: Called): (Called & { readonly by: Span })[] | null => {
    if (seen.has(from.node)) return null;
    seen.add(from.node);
    for (const call of callsIn(from)) {
      if (call.node === start.node) return [call];
      const rest = way(call);
      if (rest !== null) return [call, ...rest];
    }
    return null;
  };
  const circle = way(start);
  if (circle === null) return null;
  const first = circle.reduce((a, b) => (isBefore(b.node.span, a.node.span) ? b : a));
  const at = circle.indexOf(first);
  const names = [...circle.slice(at), ...circle.slice(0, at), first].map(({ node }) => node.name.text);
  return { chain: names.join(" -> "), at: first.by };
}

const isBefore = (a: Span, b: Span): boolean =>
  a.source === b.source ? a.start < b.start : a.source.path < b.source.path;

/** The functions that the body of one calls, and where. */
function callsIn({ node, module }: Called): (Called & { readonly by: Span })[] {
  const own = new Set(node.parameters.map(({ name }) => name.text));
  return callees([node.parameters, node.body]).flatMap(({ callee, span }) => {
    const symbol = symbolOf(callee, module, own);
    return symbol?.kind === "fn" ? [{ node: symbol.node, module: symbol.module, by: span }] : [];
  });
}

function symbolOf(callee: Expression, { names }: Module, own: ReadonlySet<string>): Symbol | undefined {
  if (callee.kind === "reference") return own.has(callee.name.text) ? undefined : names.get(callee.name.text);
  if (callee.kind !== "member" || callee.object.kind !== "reference") return undefined;
  const file = names.get(callee.object.name.text);
  return file?.kind === "namespace" ? file.of.names.get(callee.name.text) : undefined;
}

function callees(node: unknown, found: Extract<Expression, { kind: "call" }>[] = []): typeof found {
  if (node === null || typeof node !== "object") return found;
  if ("kind" in node && node.kind === "call") found.push(node as Extract<Expression, { kind: "call" }>);
  for (const [key, part] of Object.entries(node)) if (key !== "span") callees(part, found);
  return found;
}
