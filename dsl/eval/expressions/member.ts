/** What stands after a dot. */
import { unknownName } from "../../diagnostics/catalog/names.ts";
import { noMember } from "../../diagnostics/catalog/values.ts";
import { replacement, suggest } from "../../diagnostics/suggest.ts";
import type { Expression, Member } from "../../syntax/ast.ts";
import { describeType } from "../../types/type.ts";
import { isDimensionless, sameDimension, units } from "../../types/units.ts";
import { later, number, show, unknown, type Value, type Valued } from "../../types/value.ts";
import type { Context } from "../context.ts";
import { describeInstance, type Instance } from "../blocks/instance.ts";
import { decidedGroup } from "../blocks/implied.ts";
import { isGivenBack } from "../blocks/is-given-back.ts";
import { isLeftOpen } from "../blocks/lost-base.ts";
import { memberNames } from "../blocks/unknown-member.ts";
import { lookup } from "../declarations/lookup.ts";
import type { Scope } from "../scope.ts";
import { inTable } from "../../in-table.ts";

export function evaluateMember(expression: Member, scope: Scope, context: Context): Value | Valued {
  const { object, name } = expression;
  if (object.kind === "reference") {
    const symbol = scope.locals.has(object.name.text) ? undefined : scope.module.names.get(object.name.text);
    if (symbol?.kind === "namespace") {
      const inner = lookup(name, { module: symbol.of, locals: new Map(), self: null }, context);
      if (inner !== null) return inner;
      context.report(
        unknownName(name.span, { name: name.text }, suggest(name.span, name.text, [...symbol.of.names.keys()])),
      );
      return unknown;
    }
    if (object.name.text === "host" && symbol === undefined) {
      const value = context.host(name.text);
      if (value !== undefined) return value;
      context.report(
        noMember(
          name.span,
          { name: name.text, of: "`host`" },
          suggest(name.span, name.text, ["gpus", "gpu_memory", "cores", "memory"]),
        ),
      );
      return unknown;
    }
  }
  const { value } = context.evaluate(object, scope, null, "the part before the dot");
  switch (value.kind) {
    case "unknown":
      return value;
    case "block":
      return memberOfBlock(value.block, expression, context);
    case "record":
      return value.fields.get(name.text) ?? missing(expression, value, [...value.fields.keys()], context);
    case "choice":
      return value.arguments.get(name.text) ?? missing(expression, value, [...value.arguments.keys()], context);
    case "number": {
      const unit = units.get(name.text);
      if (unit !== undefined && !isDimensionless(unit.dimension) && sameDimension(unit.dimension, value.dimension))
        return number(value.value / unit.factor);
      return missing(expression, value, [], context, ofBlock(object, name.text, scope, context));
    }
    case "handle":
    case "formula":
      return later;
    default:
      return missing(expression, value, [], context);
  }
}

/** `pretrain.length.tokens`: what the block itself tells by that name, `pretrain.tokens`. */
function ofBlock(object: Expression, name: string, scope: Scope, context: Context): string | null {
  if (object.kind !== "member") return null;
  const { value } = context.evaluate(object.object, scope, null, "the part before the dot");
  if (value.kind !== "block" || inTable(value.block.kind.derived, name) === undefined) return null;
  const { source, start, end } = object.object.span;
  return `${source.text.slice(start, end)}.${name}`;
}

function missing(
  expression: Member,
  of: Value,
  valid: readonly string[],
  context: Context,
  instead: string | null = null,
): Value {
  const { name, object } = expression;
  // A record is known by the name that it was asked by: all of its fields stand behind it.
  const written = object.span.source.text.slice(object.span.start, object.span.end).replace(/\s+/g, " ");
  const isNamed = of.kind === "record" && written.length < 60;
  context.report(
    noMember(
      name.span,
      { name: name.text, of: isNamed ? `\`${written}\`` : show(of) },
      instead === null
        ? suggest(name.span, name.text, valid)
        : { fixes: [replacement(expression.span, instead)], valid: [instead] },
    ),
  );
  return unknown;
}

function memberOfBlock(block: Instance, expression: Member, context: Context): Value | Valued {
  const { kind } = block;
  const name = expression.name.text;
  const derived = inTable(kind.derived, name);
  const isSaid = block.values.has(name) || block.blocks.has(name);
  if (isLeftOpen(block) && !isSaid && (derived !== undefined || memberNames(kind).includes(name))) return unknown;
  // A property that nobody wrote and the compiler decides: what it decides, not that nothing is there.
  if (
    derived !== undefined &&
    Object.hasOwn(kind.properties, name) &&
    !isWritten(block, name, context, expression.name.span)
  )
    return derived.compute(block);
  if (Object.hasOwn(kind.properties, name) || (kind.open === true && block.values.has(name)))
    return context.property(block, name, expression.name.span);
  const child = decidedGroup(block, name);
  if (child !== null) return { kind: "block", block: child };
  if (inTable(kind.blocks, name) !== undefined) {
    const fix = `Add \`${name} { … }\` to ${describeInstance(block)}, or remove this use of it.`;
    context.report(noMember(expression.name.span, { name, of: describeInstance(block) }, { fix }));
    return unknown;
  }
  if (derived !== undefined) return derived.compute(block);
  if (kind.handles?.includes(name)) return { kind: "handle", block, which: name };
  if (name === "at" && kind.at !== undefined) {
    const own = block.name ?? kind.name;
    const fix = `Write which one: \`${own}.at(…)\` takes ${describeType(kind.at)}.`;
    context.report(noMember(expression.name.span, { name, of: describeInstance(block) }, { fix }));
    return unknown;
  }
  if (name === "name") return { kind: "string", value: block.name ?? kind.name };
  const valid = [...new Set([...memberNames(kind), ...Object.keys(kind.derived ?? {}), ...(kind.handles ?? [])])];
  const meant = inTable(kind.foreignHandles, name);
  const details =
    meant === undefined
      ? suggest(expression.name.span, name, valid)
      : { valid: kind.handles ?? [], fixes: [replacement(expression.name.span, meant)] };
  context.report(noMember(expression.name.span, { name, of: describeInstance(block) }, details));
  return unknown;
}

function isWritten(block: Instance, name: string, context: Context, at: Member["span"]): boolean {
  return block.values.has(name) && !isGivenBack(block, name, context.property(block, name, at).value);
}
