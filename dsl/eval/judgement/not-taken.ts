/**
 * Branches that were not taken. What is written down in one is judged like anything else; what speaks of something that could be
 * otherwise may make sense only where it is taken, but its names must mean something wherever it stands.
 */
import { argumentUnknown, notCallable } from "../../diagnostics/catalog/calls.ts";
import { unknownName } from "../../diagnostics/catalog/names.ts";
import { unknownProperty } from "../../diagnostics/catalog/properties.ts";
import { noMember, notBoundable, wrongChoice } from "../../diagnostics/catalog/values.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Type } from "../../kind.ts";
import type { Span } from "../../source/source.ts";
import type { Symbol } from "../../symbols/symbol.ts";
import type { Expression } from "../../syntax/ast.ts";
import { inTable } from "../../in-table.ts";
import { conform } from "../../types/conform.ts";
import { groupIn } from "../../types/type.ts";
import type { AmendedAway } from "../blocks/amended-away.ts";
import type { Context } from "../context.ts";
import { isWrittenDown } from "./is-written-down.ts";
import { newInstance } from "../blocks/new-instance.ts";
import { boundsOf } from "../blocks/property.ts";
import { sayRecord } from "../blocks/say-record.ts";
import type { Scope } from "../scope.ts";

export interface Branch {
  readonly scope: Scope;
  readonly expected: Type | null;
  readonly what: string;
}

/** Branches that are passed over: each as it was met first, and whether it was taken elsewhere. */
export interface Branches {
  readonly passed: Map<Expression, Branch>;
  readonly taken: Set<Expression>;
}

/** Judges what was passed over everywhere; everything that it speaks of has its value by then. */
export function checkNotTaken(context: Context, isOwn: (path: string) => boolean): void {
  const { passed, taken } = context.branches;
  // What is passed over in a branch is met on the way.
  for (const [expression, branch] of passed) {
    if (taken.has(expression) || !isOwn(expression.span.source.path)) continue;
    hearing(
      { expression, scope: branch.scope, span: expression.span },
      () => judge(expression, branch, context),
      context,
    );
  }
}

/** Judges what amendments took the place of; what is passed over in it is met on the way. */
export function checkAmendedAway(context: Context, isOwn: (path: string) => boolean): void {
  for (const away of context.away) if (isOwn(away.span.source.path)) hearing(away, away.ask, context);
}

/** Hears what is surely a mistake, whatever else were said elsewhere. */
function hearing(
  { expression, scope, span }: Pick<AmendedAway, "expression" | "scope" | "span">,
  ask: () => void,
  context: Context,
): void {
  const isSure = isWrittenDown(expression, scope) ? () => true : namesOnly(expression, scope, context);
  context.hearing.only = (found) => lies(found.span, span) && isSure(found);
  ask();
  context.hearing.only = null;
}

function judge(expression: Expression, { scope, expected, what }: Branch, context: Context): void {
  const said = context.evaluate(expression, scope, expected, what);
  const { value } = said;
  if (expected === null || value.kind === "none" || value.kind === "auto" || value.kind === "unknown") return;
  const group = groupIn(expected);
  if (group === null) {
    // What a bound may hold beside values of the type is known to the bound.
    const isSet =
      value.kind === "range" || (value.kind === "list" && value.items.some((i) => i.value.kind === "none"));
    if (!isSet) conform(said, expected, what, context.report);
  } else if (value.kind === "record") {
    const instance = newInstance(group, null, scope.self, expression.span, context);
    sayRecord(instance, value, { module: scope.module, locals: scope.locals, layer: "file" });
    boundsOf(instance);
  }
}

const lies = (inner: Span, outer: Span): boolean =>
  inner.source.path === outer.source.path && inner.start >= outer.start && inner.end <= outer.end;

/** Whether a mistake is one of a name that no other value of anything would mend. */
function namesOnly(expression: Expression, scope: Scope, context: Context): (found: Diagnostic) => boolean {
  const isValue = (name: string) => scope.locals.has(name) || scope.module.names.get(name)?.kind === "let";
  const standsFor = (name: string) => (scope.locals.has(name) ? undefined : scope.module.names.get(name));
  return ({ code, span, valid }) => {
    if ([...openPlaces(expression, isValue)].some((place) => lies(span, place))) return false;
    const { text } = span.source;
    switch (code) {
      case unknownName.code:
      case argumentUnknown.code:
      case unknownProperty.code:
      case notBoundable.code:
        return true;
      case notCallable.code:
        return /^\w+$/.test(text.slice(span.start, span.end)) && !isKnown(text.slice(span.start, span.end));
      // Only a callee: a value may be another word elsewhere.
      case wrongChoice.code:
        return text[span.end] === "(" && !isKnown(/^\w*/.exec(text.slice(span.start))?.[0] ?? "");
      // Of a block that is named: its kind has no such member. A group that it may have elsewhere comes without valid values.
      case noMember.code: {
        const of = /(?<![\w.])(\w+)\.$/.exec(text.slice(0, span.start))?.[1] ?? "";
        return valid.length > 0 && hasOnlyItsKinds(standsFor(of));
      }
      default:
        return false;
    }
  };
  /** Nobody can add a member by a name of his own. */
  function hasOnlyItsKinds(symbol: Symbol | undefined): boolean {
    if (symbol?.kind !== "block") return false;
    const kind = inTable(context.registry.kinds, symbol.node.head[0].text);
    return kind !== undefined && kind.open !== true && kind.nested === undefined;
  }
  function isKnown(name: string): boolean {
    return scope.locals.has(name) || scope.module.names.has(name) || context.builtins.has(name);
  }
}

/** Places where what may stand follows from a value: what is compared, what `with` changes, what a named function takes. */
function* openPlaces(node: unknown, isValue: (name: string) => boolean): Generator<Span> {
  if (node === null || typeof node !== "object") return;
  const { kind } = node as { readonly kind?: string };
  if (kind === "with") for (const { span } of (node as Extract<Expression, { kind: "with" }>).body) yield span;
  if (kind === "binary" && ["==", "!=", "in"].includes((node as Extract<Expression, { kind: "binary" }>).op))
    yield (node as Extract<Expression, { kind: "binary" }>).right.span;
  if (kind === "call") {
    const { callee, arguments: given } = node as Extract<Expression, { kind: "call" }>;
    if (callee.kind === "reference" && isValue(callee.name.text))
      for (const { name } of given) if (name !== null) yield name.span;
  }
  for (const [key, part] of Object.entries(node)) if (key !== "span") yield* openPlaces(part, isValue);
}
