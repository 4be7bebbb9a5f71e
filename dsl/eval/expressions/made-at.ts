/** `a.at(10_000 steps)`: what a step made at one point of its way. */
import { argumentMissing } from "../../diagnostics/catalog/calls.ts";
import type { Property } from "../../kind.ts";
import type { Expression, Member } from "../../syntax/ast.ts";
import { conform } from "../../types/conform.ts";
import { describeType } from "../../types/type.ts";
import { unknown, type Value } from "../../types/value.ts";
import { exceeds } from "./arity.ts";
import type { Context } from "../context.ts";
import { matchArguments } from "./match-arguments.ts";
import type { Scope } from "../scope.ts";

/** `null` where what stands before the dot makes nothing on its way. */
export function madeAt(
  { object, name }: Member,
  call: Extract<Expression, { kind: "call" }>,
  scope: Scope,
  context: Context,
): Value | null {
  if (name.text !== "at") return null;
  const { value } = context.evaluate(object, scope, null, "the part before the dot");
  if (value.kind === "unknown") return unknown;
  if (value.kind !== "block" || value.block.kind.at === undefined) return null;
  const { block } = value;
  const type = value.block.kind.at;
  const of = `${block.name ?? block.kind.name}.at`;
  const point: Property = { type, doc: describeType(type), required: true };
  if (exceeds(of, ["point"], call.arguments, context)) return unknown;
  const constructor = { doc: "", parameters: { point }, positional: ["point"] };
  const written = matchArguments(of, constructor, call.arguments, context).of.get("point");
  if (written === undefined) {
    if (call.arguments.length === 0)
      context.report(argumentMissing(call.span, { of, missing: [{ name: "point", doc: point.doc }] }));
    return unknown;
  }
  const what = `the point of \`${of}\``;
  const at = conform(context.evaluate(written, scope, type, what), type, what, context.report);
  return at.value.kind === "unknown" ? unknown : { kind: "handle", block, which: "at", at };
}
