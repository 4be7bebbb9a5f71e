/**
 * Formulas: expressions over names that have values only later (metrics, fields of a row, terms of a loss). Names and units are
 * checked now; what depends on no such name is computed now; the rest stays a tree.
 */
import { ambiguousName } from "../../diagnostics/catalog/names.ts";
import { formulaResult, formulaTerm } from "../../diagnostics/catalog/formulas.ts";
import { operands } from "../../diagnostics/catalog/values.ts";
import type { Details } from "../../diagnostics/diagnostic.ts";
import { suggest, suggestion } from "../../diagnostics/suggest.ts";
import { inTable } from "../../in-table.ts";
import type { FormulaName, FormulaNames } from "../../kind.ts";
import type { Argument, Expression } from "../../syntax/ast.ts";
import { describeType } from "../../types/type.ts";
import type { FormulaTree, Value } from "../../types/value.ts";
import { construct } from "../expressions/call.ts";
import type { Context } from "../context.ts";
import { isLost } from "../declarations/is-lost.ts";
import { placeOf } from "../expressions/choices-with.ts";
import { declaredConstructor, declaredNames } from "../expressions/constructors.ts";
import { functionsOfFormulas } from "./formula-functions.ts";
import { type FormulaType, mentions, nameIn, namesOf, pathOf } from "./formula-names.ts";
import { binary, conditional, interpolated, listed, unary } from "./formula-operators.ts";
import { constant, describe, type Lowered, type Reader, silent } from "./formula-reader.ts";
import { treeOf } from "./formula-tree.ts";
import { phases } from "../phases.ts";
import type { Scope } from "../scope.ts";
import { mismatchOf, shapeOfType } from "./shape.ts";
import { replacement } from "../../diagnostics/suggest.ts";

/** A formula with its tree, or `unknown` after a report. */
export function formulaOf(
  expression: Expression,
  scope: Scope,
  type: FormulaType,
  what: string,
  context: Context,
): Value {
  const reader: Reader = { names: namesOf(type, scope), type, scope, context, what, lower };
  const { tree, shape } = lower(expression, reader);
  if (shape.kind === "unknown") return { kind: "unknown", later: false };
  if (type.result !== undefined) {
    const found = mismatchOf(shape, type.result);
    if (found !== null) {
      const word = expression.kind === "string" ? expression.parts.join("") : "";
      const fixes = inTable(reader.names, word) === undefined ? [] : [replacement(expression.span, word)];
      context.report(formulaResult(expression.span, { what, expected: describeType(type.result), found }, { fixes }));
      return { kind: "unknown", later: false };
    }
  }
  return { kind: "formula", expression, scope, tree };
}

function lower(expression: Expression, reader: Reader): Lowered {
  switch (expression.kind) {
    case "reference":
    case "member":
      return named(expression, reader) ?? constant(expression, reader);
    case "call":
      return called(expression, reader);
    case "unary":
      return unary(expression, reader);
    case "binary":
      return oneWord(expression, reader) ?? binary(expression, reader);
    case "if":
      return conditional(expression, reader);
    case "list":
      return listed(expression, reader);
    case "string":
      return interpolated(expression, reader);
    default:
      return constant(expression, reader);
  }
}

function named(expression: Expression, reader: Reader): Lowered | null {
  const path = pathOf(expression);
  if (path === null) return null;
  const { names, type, scope, context } = reader;
  const found = nameIn(path, names);
  if (found === null)
    return (
      declaredTerm(expression, [], reader) ?? strange(path, expression, reader, meant(path, expression, names, type))
    );
  if (expression.kind === "reference") {
    const lexical = scope.module.names.get(path);
    if (lexical !== undefined || scope.locals.has(path)) {
      const declared = lexical?.kind ?? "local name";
      const slots = { name: path, expected: type.role ?? "name of the formula", declared };
      context.report(ambiguousName(expression.span, slots));
      return silent;
    }
  }
  if (found.parameters !== undefined && Object.values(found.parameters).some((p) => p.required === true))
    return applied(path, found, [], expression, reader);
  return { tree: { name: path }, shape: shapeOfType(found.type), value: null };
}

/** `cross-entropy`, where only `cross_entropy` is a name. */
function oneWord({ span }: Expression, { names, scope, context, what }: Reader): Lowered | null {
  const text = span.source.text.slice(span.start, span.end);
  if (!/^\w+(?:-\w+)+$/.test(text)) return null;
  const parts = text.split("-");
  const word = parts.join("_");
  if (inTable(names, word) === undefined || parts.every((part) => isName(part, names, scope))) return null;
  context.report(formulaTerm(span, { what, term: `\`${text}\`` }, suggestion(span, word, Object.keys(names))));
  return silent;
}

const isName = (text: string, names: Reader["names"], scope: Scope): boolean =>
  /^\d/.test(text) || inTable(names, text) !== undefined || scope.locals.has(text) || scope.module.names.has(text);

/** A name that nothing knows, or that begins a chain of which no name is known. */
function strange(
  path: string,
  expression: Expression,
  { names, type, scope, context, what }: Reader,
  intended: Details | null = null,
): Lowered | null {
  const [head = ""] = path.split(".");
  const isKnown =
    scope.locals.has(head) ||
    scope.module.names.has(head) ||
    context.isKindAround(head, scope) ||
    (phases.has(head) && head !== "run" && head !== "row");
  if (isKnown) return null;
  if (isLost(head, scope)) return silent;
  const own = type.role === undefined ? [] : declaredNames(type.role, scope, context);
  const valid = [...Object.keys(names), ...own];
  const place = placeOf(path, context.registry);
  const details = intended ?? suggest(expression.span, path, valid);
  const fix = place === null || details.fixes?.length !== 0 ? {} : { fix: `${place}.` };
  context.report(formulaTerm(expression.span, { what, term: `\`${path}\`` }, { ...details, ...fix }));
  return silent;
}

/** Another tool's name of a term, or a field of a row that is said without it: `prompt`. */
function meant(path: string, { span }: Expression, names: FormulaNames, { foreign }: FormulaType): Details | null {
  const term = inTable(foreign, path);
  const valid = Object.keys(names).sort();
  if (term !== undefined) return { valid, fixes: [replacement(span, term)] };
  const fields = valid.filter((name) => name.endsWith(".*"));
  const [field] = fields;
  if (field === undefined || fields.length < valid.length || path.includes(".")) return null;
  return { valid, fixes: [replacement(span, field.replace("*", path))] };
}

/** A constructor that the file declares for the role: `correlation`, `correlation(clamp = 2.0)`. */
function declaredTerm(
  expression: Expression,
  arguments_: readonly Argument[],
  { type, scope, context }: Reader,
): Lowered | null {
  const path = pathOf(expression);
  if (type.role === undefined || path === null) return null;
  if (declaredConstructor(path, type.role, scope, context) === null) return null;
  const choice = { kind: "choice" as const, name: type.role, constructors: {} };
  const value = construct(path, choice, arguments_, expression.span, scope, context);
  const tree = treeOf(value);
  if (tree === undefined) return silent;
  return { tree, shape: { kind: "any" }, value: null };
}

function called(expression: Extract<Expression, { kind: "call" }>, reader: Reader): Lowered {
  const { callee } = expression;
  const path = pathOf(callee);
  const found = path === null ? null : nameIn(path, reader.names);
  if (path !== null && found?.parameters !== undefined)
    return applied(path, found, expression.arguments, expression, reader);
  if (callee.kind === "member" && callee.name.text === "at") {
    const inner = pathOf(callee.object);
    const metric = inner === null ? null : nameIn(inner, reader.names);
    if (inner !== null && metric?.at !== undefined) {
      const at = { at: { type: metric.at, doc: "when", required: true } };
      const point = argumentsOf(inner, { parameters: at, positional: ["at"] }, expression, reader);
      return { tree: { name: inner, at: point?.at ?? null }, shape: shapeOfType(metric.type), value: null };
    }
  }
  const term = declaredTerm(callee, expression.arguments, reader);
  if (term !== null) return term;
  const known = callee.kind === "reference" ? inTable(functionsOfFormulas, callee.name.text) : undefined;
  if (callee.kind === "reference" && known !== undefined && mentions(expression, reader.names)) {
    const parts = expression.arguments.map((a) => lower(a.value, reader));
    if (parts.some((p) => p.shape.kind === "unknown")) return silent;
    const shape = known(parts.map((p) => p.shape));
    if (shape === null) {
      const shown = parts.map((p, i) => describe(p, expression.arguments[i]?.value));
      const left = shown.length < 2 ? null : shown.slice(0, -1).join(", ");
      reader.context.report(
        operands(expression.span, { op: callee.name.text, left, right: shown.at(-1) ?? "nothing" }),
      );
      return silent;
    }
    return { tree: { op: callee.name.text, of: parts.map((p) => p.tree) }, shape, value: null };
  }
  if (callee.kind === "reference" && strangeCall(callee, reader)) return silent;
  return constant(expression, reader);
}

/** A call of what neither the formula nor the file knows. */
function strangeCall(callee: Extract<Expression, { kind: "reference" }>, reader: Reader): boolean {
  const { context } = reader;
  return !context.builtins.has(callee.name.text) && strange(callee.name.text, callee, reader) !== null;
}

function applied(
  path: string,
  found: FormulaName,
  arguments_: readonly Argument[],
  at: Expression,
  reader: Reader,
): Lowered {
  const constructor = {
    parameters: found.parameters ?? {},
    ...(found.positional === undefined ? {} : { positional: found.positional }),
  };
  const given = argumentsOf(path, constructor, { span: at.span, arguments: arguments_ }, reader);
  const tree = given === null ? { name: path } : { name: path, with: given };
  return { tree, shape: shapeOfType(found.type), value: null };
}

function argumentsOf(
  name: string,
  constructor: { readonly parameters: FormulaName["parameters"] & {}; readonly positional?: readonly string[] },
  call: { readonly span: Expression["span"]; readonly arguments: readonly Argument[] },
  { scope, context }: Reader,
): Readonly<Record<string, FormulaTree>> | null {
  const choice = { kind: "choice" as const, name, constructors: { [name]: { doc: "", ...constructor } } };
  const value = construct(name, choice, call.arguments, call.span, scope, context);
  const tree = treeOf(value);
  return typeof tree === "object" && tree !== null && "name" in tree ? (tree.with ?? null) : null;
}
