/** Evaluation of expressions. Pure: mistakes are reported once and give `unknown`, which stays silent afterwards. */
import { operands } from "../../diagnostics/catalog/values.ts";
import type { Type } from "../../kind.ts";
import type { Binary, Expression } from "../../syntax/ast.ts";
import { alternatives, groupIn } from "../../types/type.ts";
import { type NumberValue, parameter, show, unknown, type Value, type Valued } from "../../types/value.ts";
import { wordOf } from "../../types/word.ts";
import { mayStep } from "./bulk.ts";
import { declaredBehind, evaluateCall } from "./call.ts";
import type { Context } from "../context.ts";
import { comprehensionOf } from "./comprehension.ts";
import { constructorIn } from "./constructors.ts";
import { formulaOf } from "../formulas/formula.ts";
import { type FormulaType, mentions, namesOf, pathOf } from "../formulas/formula-names.ts";
import { holds } from "./holds.ts";
import { isHyphenated } from "./hyphenated.ts";
import { itemAt } from "./item-at.ts";
import { numberOf, rangeOf, recordOf, stringOf } from "./literals.ts";
import { isQuotedBlock } from "./quoted-block.ts";
import { matchOf } from "./match.ts";
import { passOver } from "../judgement/pass-over.ts";
import { evaluateMember } from "./member.ts";
import { isTooDeep } from "./depth.ts";
import { enter, leave } from "./nesting.ts";
import { applyBinary } from "./operators.ts";
import { withOf } from "./with.ts";
import { evaluateReference } from "./reference.ts";
import { judgeOperands } from "./typed-operands.ts";
import type { Scope } from "../scope.ts";
import { sidesOf, typeOfSide } from "../judgement/sides.ts";

/** The value of an expression; `expected` lets enum members and constructors be found by the type that wants them. */
export function evaluate(
  expression: Expression,
  scope: Scope,
  expected: Type | null,
  what: string,
  context: Context,
): Valued {
  const isRepeated = scope.locals.size > 0 || context.calling.size > 0;
  if (isRepeated && !mayStep(1, expression.span, context)) return written(unknown, expression);
  if (!enter(expression.span, context)) return written(unknown, expression);
  const value = valueOf(expression, scope, expected, what, context);
  leave(context);
  if ("origin" in value) return value;
  return written(isTooDeep(value, expression.span, context) ? unknown : value, expression);
}

/** The left sides of `a + a + …` one after another: as deep as they nest, the stack is not. */
function binaryOf(whole: Binary, scope: Scope, expected: Type | null, what: string, context: Context): Value {
  const chain: { readonly node: Binary; readonly type: Type | null }[] = [];
  let first: Valued | null = null;
  for (let node = whole, type = expected; ;) {
    chain.push({ node, type });
    const { left } = node;
    type = typeOfSide(node, left, type);
    if (left.kind !== "binary" || formulaWanted(left, scope, type, context) !== null) break;
    node = left;
  }
  let value: Value = unknown;
  for (const { node, type } of chain.toReversed()) {
    const [left, right] = sidesOf(node, scope, what, context, type, first);
    value = applyBinary(node.op, left.value, right.value, node.span, context, node);
    const isOfTypes = isParameter(left) || isParameter(right);
    const of = isOfTypes ? judgeOperands(node, left, right, context) : null;
    first = of === null ? written(value, node) : { ...written(parameter, node), of };
  }
  return value;
}

const isParameter = ({ value, of }: Valued): boolean =>
  value.kind === "unknown" && value.parameter === true && of !== undefined;

const written = (value: Value, { span }: Expression): Valued => ({
  value,
  span,
  origin: { kind: "written", span, layer: "file" },
});

function valueOf(
  expression: Expression,
  scope: Scope,
  expected: Type | null,
  what: string,
  context: Context,
): Value | Valued {
  const recurse = (e: Expression, type: Type | null = null) => context.evaluate(e, scope, type, what);
  const formula = formulaWanted(expression, scope, expected, context);
  if (formula !== null) return formulaOf(expression, scope, formula, what, context);
  switch (expression.kind) {
    case "number":
      return numberOf(expression, expected, context);
    case "string": {
      const text = stringOf(expression, scope, context);
      const isBlock = text.kind === "string" && isQuotedBlock(expression, text.value, scope, expected, what, context);
      return isBlock ? unknown : text;
    }
    case "bool":
      return { kind: "bool", value: expression.value };
    case "none":
    case "auto": {
      const listed = alternatives(expected).find((t) => t.kind === "enum" && t.values.includes(expression.kind));
      if (listed?.kind === "enum") return wordOf(listed, expression.kind);
      return { kind: expression.kind };
    }
    case "missing":
      return unknown;
    case "reference":
      return here(evaluateReference(expression.name, scope, expected, context), expression);
    case "member":
      return alternatives(expected).some((t) => t.kind === "formula" && t.names === undefined)
        ? { kind: "formula", expression, scope, tree: null }
        : here(
            declaredBehind(expression, scope, expected, context) ?? evaluateMember(expression, scope, context),
            expression,
          );
    case "call":
      return evaluateCall(expression, scope, expected, what, context);
    case "index": {
      const object = recurse(expression.object).value;
      const index = recurse(expression.index).value;
      if (object.kind === "unknown") return object;
      if (index.kind === "unknown") return index;
      return itemAt(expression, object, index, context);
    }
    case "list": {
      const element =
        alternatives(expected).find((t) => t.kind === "list")?.element ??
        (expected?.kind === "any" ? expected : null);
      return { kind: "list", items: expression.items.map((item) => recurse(item, element)) };
    }
    case "comprehension":
      return comprehensionOf(expression, scope, expected, what, context);
    case "record":
      return recordOf(expression.members, scope, context, groupIn(expected));
    case "range":
      return rangeOf(expression, recurse, context);
    case "unary": {
      // Of another operand the type wants the opposite.
      const isLiteral = expression.operand.kind === "number";
      const operand = recurse(expression.operand, isLiteral ? expected : null).value;
      if (operand.kind === "unknown") return operand;
      if (expression.op === "-" && operand.kind === "number") return negated(operand);
      if (expression.op === "not" && operand.kind === "bool") return { ...operand, value: !operand.value };
      context.report(operands(expression.span, { op: expression.op, left: null, right: show(operand) }));
      return unknown;
    }
    case "binary": {
      if (alternatives(expected).some((t) => t.kind === "formula" && t.names === undefined))
        return { kind: "formula", expression, scope, tree: null };
      if (isHyphenated(expression, scope, expected, context)) return unknown;
      return binaryOf(expression, scope, expected, what, context);
    }
    case "if": {
      const asked = recurse(expression.condition);
      const known = asked.value.kind !== "unknown";
      const holding = known ? holds(expression.condition, asked, context) : null;
      const { then, else: otherwise } = expression;
      const chosen = holding === null ? null : holding ? then : otherwise;
      passOver([then, otherwise], chosen, { scope, expected, what }, context);
      return chosen === null ? (known ? unknown : asked.value) : recurse(chosen, expected);
    }
    case "match":
      return matchOf(expression, scope, expected, what, context);
    case "with":
      return withOf(expression, scope, expected, what, context);
  }
}

const negated = (value: NumberValue): NumberValue => ({
  ...value,
  value: -value.value,
  ...(value.interval === undefined ? {} : { interval: [-value.interval[1], -value.interval[0]] }),
});

/** What a name stands for was written elsewhere; what is wrong with it here is said here. */
const here = (value: Value | Valued, expression: Expression): Value | Valued =>
  "origin" in value ? { ...value, span: expression.span } : value;

/** The formula that an expression is meant as: where nothing else that the type accepts could be written so. */
function formulaWanted(
  expression: Expression,
  scope: Scope,
  expected: Type | null,
  context: Context,
): FormulaType | null {
  const types = alternatives(expected);
  const formula = types.find((t): t is FormulaType => t.kind === "formula" && t.names !== undefined);
  if (formula === undefined) return null;
  const others = types.filter((t) => t !== formula);
  switch (expression.kind) {
    case "number":
    case "bool":
      return others.length === 0 ? formula : null;
    case "string":
      return others.length === 0 || mentions(expression, namesOf(formula, scope)) ? formula : null;
    case "reference":
    case "call": {
      const callee = expression.kind === "call" ? expression.callee : expression;
      const name = pathOf(callee) ?? "";
      const isOther = others.some(
        (t) =>
          (t.kind === "enum" && t.values.includes(name)) ||
          (t.kind === "choice" && constructorIn(name, t, scope, context) !== null) ||
          (t.kind === "block" && expression.kind === "reference" && scope.module.names.get(name)?.kind === "block"),
      );
      return isOther ? null : formula;
    }
    case "member":
    case "binary":
    case "unary":
      return others.length === 0 || mentions(expression, namesOf(formula, scope)) ? formula : null;
    case "if":
      return mentions(expression.condition, namesOf(formula, scope)) ? formula : null;
    default:
      return null;
  }
}
