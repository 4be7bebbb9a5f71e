/** Calls of functions of the file. They are pure: the same function of the same values is computed once. */
import { valueCycle } from "../../diagnostics/catalog/names.ts";
import { argumentMissing, argumentTwice, argumentUnknown, callLimit } from "../../diagnostics/catalog/calls.ts";
import { suggest } from "../../diagnostics/suggest.ts";
import type { Span } from "../../source/source.ts";
import type { Argument, Function as FunctionNode } from "../../syntax/ast.ts";
import { conform } from "../../types/conform.ts";
import { unknown, type Value, type Valued } from "../../types/value.ts";
import { exceeds } from "./arity.ts";
import type { Context } from "../context.ts";
import type { Scope } from "../scope.ts";
import { type Recursion, recursionOf } from "../declarations/recursion.ts";
import { typeOf } from "../declarations/type-expression.ts";

type FunctionValue = Extract<Value, { kind: "function" }>;

export function callFunction(
  callee: FunctionValue,
  written: readonly Argument[],
  at: Span,
  scope: Scope,
  context: Context,
): Value | Valued {
  const { node } = callee;
  const of = node.name.text;
  if (context.calling.has(node)) {
    const chain = [...[...context.calling].map((f) => f.name.text), of].join(" -> ");
    reportRecursion(recursionOf({ node, module: callee.scope.module }) ?? { chain, at }, context);
    return unknown;
  }
  const takes = node.parameters.map((parameter) => parameter.name.text);
  if (exceeds(of, takes, written, context)) return unknown;
  const locals = new Map<string, Valued>();
  const typeFor = (parameter: (typeof node.parameters)[number]) =>
    parameter.type === null ? null : typeOf(parameter.type, callee.scope, context);
  let next = 0;
  for (const argument of written) {
    const parameter =
      argument.name === null
        ? node.parameters[next++]
        : node.parameters.find((p) => p.name.text === argument.name?.text);
    if (parameter === undefined) {
      const span = argument.name?.span ?? argument.span;
      const name = argument.name?.text ?? "";
      context.report(argumentUnknown(span, { name, of }, suggest(span, name, takes)));
      return unknown;
    }
    if (locals.has(parameter.name.text)) {
      context.report(argumentTwice(argument.span, { name: parameter.name.text }));
      return unknown;
    }
    const what = `\`${parameter.name.text}\` of ${of}`;
    const type = typeFor(parameter);
    const value = context.evaluate(argument.value, scope, type, what);
    locals.set(parameter.name.text, type === null ? value : conform(value, type, what, context.report));
  }
  for (const parameter of node.parameters) {
    const name = parameter.name.text;
    if (locals.has(name)) continue;
    if (parameter.default === null) {
      context.report(argumentMissing(at, { of, missing: [{ name, doc: "it has no default" }] }));
      return unknown;
    }
    locals.set(name, context.evaluate(parameter.default, callee.scope, typeFor(parameter), `\`${name}\``));
  }
  return applyFunction(callee, locals, context);
}

export function reportRecursion({ chain, at }: Recursion, context: Context): void {
  const fix = "Remove the recursion; write repetition as `[f(x) for x in 1..n]`.";
  context.report(valueCycle(at, { chain }, { fix }));
}

const mostCalls = 10_000;

interface Calls {
  /** How many the outermost one has led to so far. */
  spent: number;
  /** Those that led to too many: they are called no more. */
  readonly exhausted: Set<FunctionNode>;
  /** By function, then by what it was given. */
  readonly known: Map<FunctionNode, Map<string, Valued>>;
}

const allCalls = new WeakMap<Context["calling"], Calls>();

/** The body with its parameters bound. */
export function applyFunction(
  { node, scope }: FunctionValue,
  locals: ReadonlyMap<string, Valued>,
  context: Context,
): Valued {
  const { calling } = context;
  const calls = allCalls.get(calling) ?? { spent: 0, exhausted: new Set(), known: new Map() };
  allCalls.set(calling, calls);
  const nothing: Valued = { value: unknown, span: node.name.span, origin: { kind: "default", by: node.name.text } };
  if (calls.exhausted.has(node)) return nothing;
  const known = calls.known.get(node) ?? new Map<string, Valued>();
  calls.known.set(node, known);
  const key = [...locals.values()].map(({ value }) => keyOf(value)).join("\0");
  const before = known.get(key);
  if (before !== undefined) return before;

  calls.spent = calling.size === 0 ? 0 : calls.spent + 1;
  if (calls.spent > mostCalls) {
    const [outermost = node] = calling;
    if (!calls.exhausted.has(outermost))
      context.report(callLimit(outermost.name.span, { name: outermost.name.text, most: "10_000" }));
    for (const each of calling) calls.exhausted.add(each);
    return nothing;
  }
  calling.add(node);
  const returns = node.returns === null ? null : typeOf(node.returns, scope, context);
  const what = `what \`${node.name.text}\` gives`;
  const body = context.evaluate(node.body, { ...scope, locals }, returns, what);
  calling.delete(node);
  const value = returns === null ? body : conform(body, returns, what, context.report);
  // What is known only later may be known when it is asked for again.
  const isKnown = isPlain(value.value) || [...locals.values()].some((local) => local.value.kind === "unknown");
  if (isKnown && !calls.exhausted.has(node)) known.set(key, value);
  return value;
}

const isPlain = ({ kind }: Value): boolean =>
  kind === "number" || kind === "string" || kind === "bool" || kind === "member" || kind === "none";

let identities = 0;
const identity = new WeakMap<object, number>();

/** The same for values that cannot be told apart; others are known by what they are. */
function keyOf(value: Value): string {
  switch (value.kind) {
    case "number":
      return JSON.stringify([value.value, value.dimension, value.percent, value.interval]);
    case "bool":
      return JSON.stringify([value.value, value.likely]);
    case "string":
      return value.value.length > 200 ? identityOf(value) : JSON.stringify([value.value, value.among]);
    case "member":
      return `${value.of}.${value.name}`;
    case "none":
    case "auto":
      return value.kind;
    default:
      return identityOf(value);
  }
}

function identityOf(value: Value): string {
  const known = identity.get(value) ?? (identities += 1);
  identity.set(value, known);
  return `#${known}`;
}
