/** What a param stands for: the command line's text, a preset's or an overlay's value, the environment's, or its default. */
import { outOfRange, typeMismatch } from "../../diagnostics/catalog/values.ts";
import { paramMissing } from "../../diagnostics/catalog/settings.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { replacement, suggest } from "../../diagnostics/suggest.ts";
import type { Type } from "../../kind.ts";
import type { Source, Span } from "../../source/source.ts";
import type { Symbol } from "../../symbols/symbol.ts";
import type { Expression, Param } from "../../syntax/ast.ts";
import { parseExpression } from "../../syntax/parse.ts";
import { conform } from "../../types/conform.ts";
import { alternatives, anyType, describeType } from "../../types/type.ts";
import { show, unknown, type Value, type Valued } from "../../types/value.ts";
import { wordOf } from "../../types/word.ts";
import type { Context } from "../context.ts";
import { reportingTo } from "./reporting-to.ts";
import { noValueIn } from "../expressions/no-value.ts";
import type { Origin } from "../origin.ts";
import { violatedBound } from "./param-bounds.ts";
import type { Scope } from "../scope.ts";
import type { Surroundings } from "./symbol-value.ts";
import { typeOf } from "./type-expression.ts";
import type { Replacement } from "../variants/attach.ts";

export function paramValue(symbol: Extract<Symbol, { kind: "param" }>, scope: Scope, around: Surroundings): Valued {
  const { context, sets, replacements } = around;
  const { node } = symbol;
  const name = node.name.text;
  const what = `param \`${name}\``;
  const type = node.type === null ? anyType : typeOf(node.type, scope, context);
  const set = sets.get(symbol);
  const replaced = replacements.get(symbol);
  const bounds = node.bounds.map(
    ({ op, value: { span } }) => ` ${op} ${span.source.text.slice(span.start, span.end)}`,
  );
  const said = { what, expected: `${describeType(type)}${bounds.join("")}` };
  const missing = (instead: string): Valued => {
    context.report(paramMissing(node.name.span, { name, how: instead }));
    return {
      value: unknown,
      span: node.name.span,
      origin: { kind: "param", name, span: node.name.span, set: "default" },
    };
  };
  if (set !== undefined || replaced !== undefined) noteBeneath(symbol, scope, around);
  let value: Valued;
  let how: Extract<Origin, { kind: "param" }>["set"] = "default";
  let asked: string | undefined;
  if (set !== undefined) {
    value = readText({ path: `--set ${set.name}`, text: set.text }, type, scope, said, context);
    how = "set";
  } else if (replaced !== undefined) {
    value = context.evaluate(replaced.statement.value, inVariant(replaced), type, what);
    how = replaced.by.layer;
  } else if (node.default !== null) {
    const variable = unsetVariable(node.default, context);
    if (variable !== null)
      return missing(
        `set the environment variable \`${variable}\`, use \`--set ${name}=…\`, or write a default: \`env("${variable}", …)\``,
      );
    const lacking = noneBehind(node, type, scope);
    if (lacking !== null) context.report(lacking);
    value =
      lacking === null
        ? context.evaluate(node.default, scope, type, what)
        : {
            value: unknown,
            span: node.default.span,
            origin: { kind: "param", name, span: node.name.span, set: how },
          };
    if (
      node.default.kind === "call" &&
      node.default.callee.kind === "reference" &&
      node.default.callee.name.text === "env"
    ) {
      const isSet = isVariableSet(node.default, context);
      asked = variableIn(node.default) ?? undefined;
      if (isSet) how = "env";
      if (value.value.kind === "string") {
        // A default in quotes is told where it stands: no environment gave it.
        const found: Diagnostic[] = [];
        const reading: Context = isSet ? context : { ...context, report: (diagnostic) => found.push(diagnostic) };
        const source: Source = { path: `environment variable ${asked ?? name}`, text: value.value.value };
        const read = readText(source, type, scope, said, reading);
        if (found.length === 0) value = { ...read, span: value.span };
      }
    }
  } else {
    return missing(`set it with \`--set ${name}=…\``);
  }
  const behind = value.value.kind === "bool" ? boundBehind(node, type) : null;
  if (behind !== null) {
    context.report(behind);
    return { ...value, value: unknown };
  }
  const fitted = conform(value, type, what, context.report);
  const allowed = violatedBound(node, fitted.value, scope, type, context);
  if (allowed !== null) context.report(outOfRange(fitted.span, { what, found: show(fitted.value), allowed }));
  const env = asked === undefined ? {} : { variable: asked };
  return { ...fitted, origin: { kind: "param", name, span: node.name.span, set: how, ...env } };
}

/** What the value would be without the topmost word on it. */
function noteBeneath(symbol: Extract<Symbol, { kind: "param" }>, scope: Scope, around: Surroundings): void {
  const { context, sets, replacements } = around;
  const replaced = replacements.get(symbol);
  const beneath = sets.has(symbol) ? replaced : replaced?.over;
  const expression = beneath?.statement.value ?? symbol.node.default;
  if (expression === null) return;
  const without = new Map(beneath === undefined ? [] : [[symbol, beneath]]);
  const ask = () => void paramValue(symbol, scope, { ...around, sets: new Map(), replacements: without });
  const where = beneath === undefined ? scope : inVariant(beneath);
  context.away.push({ expression, scope: where, span: expression.span, ask });
}

const inVariant = ({ by: { module, locals } }: Replacement): Scope => ({ module, locals, self: null });

/** `param n: Int = 2 in 1..8`: the bound behind the default, which then reads as a question. */
function boundBehind({ name, default: given, type: written }: Param, type: Type): Diagnostic | null {
  const takesTruth = alternatives(type).some(({ kind }) => kind === "bool" || kind === "any");
  if (takesTruth || given?.kind !== "binary" || written === null) return null;
  if (given.op !== "in" && given.op !== "<=" && given.op !== ">=") return null;
  const text = ({ source, start, end }: Span): string => source.text.slice(start, end);
  const [value, bound] = [text(given.left.span), `${given.op} ${text(given.right.span)}`];
  const span = { ...given.span, start: written.span.end };
  const instead = `${text(written.span)} ${bound} = ${value}`;
  const slots = {
    what: `param \`${name.text}\``,
    expected: describeType(type),
    found: "a comparison: a bound goes before the `=`",
  };
  return typeMismatch(given.span, slots, {
    fixes: [replacement(span, ` ${bound} = ${value}`, `write \`${instead}\``)],
  });
}

/** `param n: Int = null`: a type says whether there may be none. */
function noneBehind(
  { name, default: given, type: written, bounds }: Param,
  type: Type,
  scope: Scope,
): Diagnostic | null {
  const word = given === null ? null : noValueIn(given, type, scope);
  if (word === null || written === null || alternatives(type).some(({ kind }) => kind === "none" || kind === "any"))
    return null;
  const { source, start, end } = written.span;
  const optional = `${source.text.slice(start, end)} | none`;
  const said = { ...written.span, end: word.end };
  const found = source.text.slice(word.start, word.end);
  const slots = { what: `param \`${name.text}\``, expected: describeType(type), found };
  const isWhole = bounds.length === 0 && given?.kind === "reference";
  return typeMismatch(word, slots, {
    fixes: isWhole ? [replacement(said, `${optional} = none`, `write \`${optional} = none\``)] : [],
    fix: `Remove the default, so that the param must be set; or write the type \`${optional}\`, and \`none\` as the value.`,
  });
}

/** The variable that `env("NAME")` asks for without a default, where it is not set. */
function unsetVariable(written: Expression, context: Context): string | null {
  if (written.kind !== "call" || written.callee.kind !== "reference" || written.callee.name.text !== "env")
    return null;
  const name = written.arguments.length === 1 ? variableIn(written) : null;
  return name !== null && context.environment(name) === undefined ? name : null;
}

const isVariableSet = (written: Extract<Expression, { kind: "call" }>, context: Context): boolean =>
  context.environment(variableIn(written) ?? "") !== undefined;

function variableIn({ arguments: [first] }: Extract<Expression, { kind: "call" }>): string | null {
  const name = first?.value.kind === "string" ? first.value.parts[0] : null;
  return typeof name === "string" ? name : null;
}

/** A value from the command line or the environment: texts and enum members need no quotes there. */
function readText(
  source: Source,
  type: Type,
  scope: Scope,
  said: { readonly what: string; readonly expected: string },
  context: Context,
): Valued {
  const span: Span = { source, start: 0, end: source.text.length };
  const plain = (value: Value): Valued => ({ value, span, origin: { kind: "written", span, layer: "set" } });
  const accepts = (kind: Type["kind"]) =>
    type.kind === kind || (type.kind === "union" && type.members.some((m) => m.kind === kind));
  if ((accepts("string") || accepts("path")) && !source.text.startsWith('"'))
    return plain({ kind: "string", value: source.text });
  if (type.kind === "enum" && type.values.includes(source.text)) return plain(wordOf(type, source.text));
  const parsed = parseExpression(source);
  const found: Diagnostic[] = [...parsed.diagnostics];
  const apart = reportingTo(context, (diagnostic) => found.push(diagnostic));
  const value = apart.evaluate(parsed.expression, scope, type, said.what);
  if (found.length === 0) return value;
  const [first] = found;
  const isWord = parsed.diagnostics.length === 0 && parsed.expression.kind === "reference";
  // A text would have been taken as it is: quotes are no way out.
  const isQuoting = first?.fixes.some(({ edits }) => edits.some(({ newText }) => newText.startsWith('"'))) === true;
  if (type.kind === "any" || (first?.fixes.length === 1 && !isWord && !isQuoting)) {
    for (const diagnostic of found) context.report(diagnostic);
    return plain(unknown);
  }
  const details = type.kind === "enum" ? suggest(span, source.text, type.values) : {};
  context.report(typeMismatch(span, { ...said, found: show({ kind: "string", value: source.text }) }, details));
  return plain(unknown);
}
