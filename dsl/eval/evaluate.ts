/** Evaluation of expressions. Pure: mistakes are reported once and give `unknown`, which stays silent afterwards. */
import {
  assertFailed,
  notExhaustive,
  neverMatches,
  operands,
  secretMisused,
  typeMismatch,
  unitUnknown,
} from "../diagnostics/catalog/values.ts";
import { suggest } from "../diagnostics/suggest.ts";
import type { Type } from "../kind.ts";
import type { Expression, Match, NumberLiteral, Statement, StringLiteral } from "../syntax/ast.ts";
import { alternatives, anyType } from "../types/type.ts";
import { combine, type Dimension, dimensionless, isDimensionless, scales, units } from "../types/units.ts";
import { none, number, type NumberValue, show, unknown, type Value, type Valued } from "../types/value.ts";
import { evaluateCall } from "./call.ts";
import type { Context } from "./context.ts";
import type { Written } from "./instance.ts";
import { evaluateMember } from "./member.ts";
import { applyBinary, equal } from "./operators.ts";
import { evaluateReference } from "./reference.ts";
import type { Scope } from "./scope.ts";

/** The value of an expression; `expected` lets enum members and constructors be found by the type that wants them. */
export function evaluate(
  expression: Expression,
  scope: Scope,
  expected: Type | null,
  what: string,
  context: Context,
): Valued {
  const value = valueOf(expression, scope, expected, what, context);
  return "origin" in value
    ? value
    : { value, span: expression.span, origin: { kind: "written", span: expression.span, layer: "file" } };
}

function valueOf(
  expression: Expression,
  scope: Scope,
  expected: Type | null,
  what: string,
  context: Context,
): Value | Valued {
  const recurse = (e: Expression, type: Type | null = null) => context.evaluate(e, scope, type, what);
  switch (expression.kind) {
    case "number":
      return numberOf(expression, context);
    case "string":
      return stringOf(expression, scope, context);
    case "bool":
      return { kind: "bool", value: expression.value };
    case "none":
    case "auto":
      return { kind: expression.kind };
    case "missing":
      return unknown;
    case "reference":
      return here(evaluateReference(expression.name, scope, expected, context), expression);
    case "member":
      return alternatives(expected).some((t) => t.kind === "formula")
        ? { kind: "formula", expression, scope }
        : here(evaluateMember(expression, scope, context), expression);
    case "call":
      return evaluateCall(expression, scope, expected, what, context);
    case "index": {
      const object = recurse(expression.object).value;
      const index = recurse(expression.index).value;
      if (object.kind === "unknown" || index.kind === "unknown") return unknown;
      const item = object.kind === "list" && index.kind === "number" ? object.items.at(index.value) : undefined;
      if (item !== undefined) return item;
      context.report(operands(expression.span, { op: "[ ]", left: show(object), right: show(index) }));
      return unknown;
    }
    case "list": {
      const element =
        alternatives(expected).find((t) => t.kind === "list")?.element ?? (expected?.kind === "any" ? anyType : null);
      return { kind: "list", items: expression.items.map((item) => recurse(item, element)) };
    }
    case "comprehension": {
      const over = recurse(expression.over).value;
      const items = itemsOf(over);
      if (items === null) {
        if (over.kind !== "unknown")
          context.report(
            typeMismatch(expression.over.span, {
              what: "what a comprehension runs over",
              expected: "a list or a range",
              found: show(over),
            }),
          );
        return unknown;
      }
      const element = alternatives(expected).find((t) => t.kind === "list")?.element ?? null;
      const made: Valued[] = [];
      for (const item of items) {
        const inner: Scope = { ...scope, locals: new Map([...scope.locals, [expression.variable.text, item]]) };
        const keep =
          expression.condition === null
            ? null
            : context.evaluate(expression.condition, inner, null, "the condition").value;
        if (keep === null || (keep.kind === "bool" && keep.value))
          made.push(context.evaluate(expression.element, inner, element, what));
      }
      return { kind: "list", items: made };
    }
    case "record":
      return recordOf(expression.members, scope, context);
    case "range":
      return rangeOf(expression, recurse, context);
    case "unary": {
      const operand = recurse(expression.operand, expected).value;
      if (operand.kind === "unknown") return operand;
      if (expression.op === "-" && operand.kind === "number") return { ...operand, value: -operand.value };
      if (expression.op === "not" && operand.kind === "bool") return { kind: "bool", value: !operand.value };
      context.report(operands(expression.span, { op: expression.op, left: "nothing", right: show(operand) }));
      return unknown;
    }
    case "binary": {
      if (alternatives(expected).some((t) => t.kind === "formula")) return { kind: "formula", expression, scope };
      let left = recurse(expression.left);
      if (expression.op === "/" && left.value.kind === "block" && left.value.block.kind.path !== undefined) {
        left = context.property(left.value.block, left.value.block.kind.path, expression.left.span);
      }
      const wanted = left.value.kind === "member" ? enumOf(left.value) : null;
      const right = recurse(
        expression.right,
        wanted !== null && expression.op === "in" ? { kind: "list", element: wanted } : wanted,
      );
      return applyBinary(expression.op, left.value, right.value, expression.span, context);
    }
    case "if": {
      const condition = recurse(expression.condition).value;
      if (condition.kind === "bool") return recurse(condition.value ? expression.then : expression.else, expected);
      if (condition.kind !== "unknown")
        context.report(
          typeMismatch(expression.condition.span, {
            what: "the condition",
            expected: "true or false",
            found: show(condition),
          }),
        );
      return unknown;
    }
    case "match":
      return matchOf(expression, scope, expected, what, context);
    case "with": {
      const base = recurse(expression.base, expected);
      const by: Written = { module: scope.module, locals: scope.locals, layer: "file" };
      if (base.value.kind === "block") {
        return {
          kind: "block",
          block: context.derive(
            base.value.block,
            expression.body,
            by,
            `${scope.self?.name ?? "x"}_${base.value.block.name ?? ""}`,
          ),
        };
      }
      if (base.value.kind === "record") {
        const added = recordOf(expression.body, scope, context);
        return added.kind === "record"
          ? {
              kind: "record",
              fields: new Map([...base.value.fields, ...added.fields]),
              bounds: [...base.value.bounds, ...added.bounds],
            }
          : added;
      }
      if (base.value.kind !== "unknown")
        context.report(
          typeMismatch(expression.base.span, {
            what: "what `with` changes",
            expected: "a block or a record",
            found: show(base.value),
          }),
        );
      return unknown;
    }
  }
}

/** What a name stands for was written elsewhere; what is wrong with it here is said here. */
const here = (value: Value | Valued, expression: Expression): Value | Valued =>
  "origin" in value ? { ...value, span: expression.span } : value;

/** The type of which a member is. */
export function enumOf(value: Extract<Value, { kind: "member" }>): Type {
  return { kind: "enum", name: value.of, values: value.values };
}

/** What one can run over: the items of a list, the whole numbers of a range. */
export function itemsOf(value: Value): readonly Valued[] | null {
  if (value.kind === "list") return value.items;
  if (value.kind !== "range") return null;
  const { from, to } = value;
  const count = Math.floor(to.value - from.value) + 1;
  if (count > 100_000) return null;
  return Array.from({ length: Math.max(0, count) }, (_, i) => ({
    value: number(from.value + i, to.dimension),
    span: emptySpan,
    origin: { kind: "derived", rule: "range", inputs: [] },
  }));
}

const emptySpan = { source: { path: "", text: "" }, start: 0, end: 0 };

function numberOf(literal: NumberLiteral, context: Context): Value {
  const scale = literal.scale === null ? 1 : scales[literal.scale];
  if (literal.unit === null) return number(literal.value * scale);
  let dimension: Dimension = dimensionless;
  let factor = 1;
  const { numerator, denominator } = literal.unit;
  for (const [names, power] of [[numerator, 1] as const, [denominator, -1] as const]) {
    for (const name of names) {
      const unit = units.get(name);
      if (unit === undefined) {
        context.report(
          unitUnknown(literal.unit.span, { unit: name }, suggest(literal.unit.span, name, [...units.keys()])),
        );
        return unknown;
      }
      dimension = combine(dimension, unit.dimension, power);
      factor *= unit.factor ** power;
    }
  }
  const percent = numerator.length === 1 && numerator[0] === "%" && denominator.length === 0;
  // 0.05 * 0.01 is not 0.0005 in binary; the shortest decimal is what was meant.
  const value = Number((literal.value * scale * factor).toPrecision(15));
  return number(value, dimension, percent);
}

function stringOf(literal: StringLiteral, scope: Scope, context: Context): Value {
  let text = "";
  for (const part of literal.parts) {
    if (typeof part === "string") text += part;
    else {
      const { value } = context.evaluate(part, scope, null, "the interpolated value");
      if (value.kind === "unknown") return value;
      if (value.kind === "formula") return { kind: "formula", expression: literal, scope };
      if (value.kind === "secret") {
        context.report(secretMisused(part.span, { name: value.name }));
        return unknown;
      }
      text += value.kind === "string" ? value.value : show(value);
    }
  }
  return { kind: "string", value: text };
}

function recordOf(members: readonly Statement[], scope: Scope, context: Context): Value {
  const fields = new Map<string, Valued>();
  const bounds: { name: string; op: string; value: Valued }[] = [];
  for (const member of members) {
    if (member.kind === "assign") {
      const name = member.target.map((n) => n.text).join(".");
      fields.set(name, context.evaluate(member.value, scope, null, `\`${name}\``));
    } else if (member.kind === "bound") {
      const name = member.target.map((n) => n.text).join(".");
      bounds.push({ name, op: member.op, value: context.evaluate(member.value, scope, null, `\`${name}\``) });
    } else if (member.kind === "block" && member.name === null) {
      const value = recordOf(member.body ?? [], scope, context);
      fields.set(member.head.map((n) => n.text).join("."), {
        value,
        span: member.span,
        origin: { kind: "written", span: member.span, layer: "file" },
      });
    }
  }
  return { kind: "record", fields, bounds };
}

/** `1..64 samples`: a unit written once, at the end, counts for both. */
function rangeOf(
  expression: Extract<Expression, { kind: "range" }>,
  recurse: (e: Expression) => Valued,
  context: Context,
): Value {
  const from = recurse(expression.from).value;
  const to = recurse(expression.to).value;
  if (from.kind === "unknown" || to.kind === "unknown") return unknown;
  if (from.kind !== "number" || to.kind !== "number") {
    context.report(operands(expression.span, { op: "..", left: show(from), right: show(to) }));
    return unknown;
  }
  const unitFactor = (e: Expression): number => {
    if (e.kind !== "number" || e.unit === null) return 1;
    const above = e.unit.numerator.reduce((f, n) => f * (units.get(n)?.factor ?? 1), 1);
    return e.unit.denominator.reduce((f, n) => f / (units.get(n)?.factor ?? 1), above);
  };
  const bare = isDimensionless(from.dimension) && !from.percent;
  const start: NumberValue = bare ? number(from.value * unitFactor(expression.to), to.dimension, to.percent) : from;
  if (JSON.stringify(start.dimension) !== JSON.stringify(to.dimension)) {
    context.report(operands(expression.span, { op: "..", left: show(from), right: show(to) }));
    return unknown;
  }
  return { kind: "range", from: start, to };
}

function matchOf(match: Match, scope: Scope, expected: Type | null, what: string, context: Context): Value | Valued {
  const subject = context.evaluate(match.subject, scope, null, "what is matched").value;
  if (subject.kind === "unknown") return subject;
  const wanted = subject.kind === "member" ? enumOf(subject) : null;
  const covered = new Set<string>();
  let chosen: Expression | null = null;
  for (const arm of match.arms) {
    for (const pattern of arm.patterns) {
      const { value } = context.evaluate(pattern, scope, wanted, "the pattern");
      if (value.kind === "unknown") continue;
      const same = equal(subject, value);
      const name = value.kind === "member" ? value.name : value.kind === "string" ? value.value : show(value);
      if (same === null || covered.has(name) || (wanted?.kind === "enum" && !wanted.values.includes(name))) {
        context.report(
          neverMatches(
            pattern.span,
            { pattern: show(value) },
            wanted?.kind === "enum" ? { valid: wanted.values } : {},
          ),
        );
      }
      covered.add(name);
      if (chosen === null && same?.kind === "bool" && same.value) chosen = arm.body;
    }
  }
  const all = wanted?.kind === "enum" ? wanted.values : subject.kind === "bool" ? ["true", "false"] : null;
  const missing = all?.filter((v) => !covered.has(v)) ?? [];
  if (match.otherwise === null && (missing.length > 0 || (all === null && chosen === null))) {
    const span = { ...match.span, end: match.subject.span.end };
    context.report(notExhaustive(span, { missing: missing.length > 0 ? missing.join(", ") : show(subject) }));
    if (chosen === null) return unknown;
  }
  const body = chosen ?? match.otherwise;
  return body === null ? none : context.evaluate(body, scope, expected, what);
}

/** Judges an `assert`. A condition that is known only later is passed over. */
export function judge(node: Extract<Statement, { kind: "assert" }>, scope: Scope, context: Context): void {
  const { condition, otherwise } = node;
  const { value } = context.evaluate(condition, scope, null, "the condition");
  if (value.kind === "unknown" || value.kind === "formula") return;
  if (value.kind !== "bool") {
    context.report(
      typeMismatch(condition.span, { what: "an assertion", expected: "true or false", found: show(value) }),
    );
    return;
  }
  if (value.value) return;
  const text = condition.span.source.text.slice(condition.span.start, condition.span.end);
  const sides =
    condition.kind === "binary"
      ? [condition.left, condition.right].map((side) => context.evaluate(side, scope, null, "").value)
      : [];
  const values = sides.map(show).join(condition.kind === "binary" ? ` ${condition.op} ` : "");
  const severity =
    otherwise?.kind === "reference" && otherwise.name.text === "warn" ? ("warning" as const) : ("error" as const);
  const said = otherwise?.kind === "string" ? context.evaluate(otherwise, scope, null, "").value : null;
  const message = said?.kind === "string" ? `${said.value}: ${text}` : text;
  context.report(
    assertFailed(condition.span, { condition: message, values: values === text ? "" : values }, { severity }),
  );
}
