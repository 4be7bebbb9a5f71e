/** Calls: constructors of the expected choice, functions of the file, built-in functions. */
import { ambiguousName } from "../../diagnostics/catalog/names.ts";
import { argumentMissing, argumentUnknown, notCallable } from "../../diagnostics/catalog/calls.ts";
import { secretMisused, secretWritten } from "../../diagnostics/catalog/settings.ts";
import { notFinite, typeMismatch, wrongChoice } from "../../diagnostics/catalog/values.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { nearest } from "../../diagnostics/nearest.ts";
import { replacement, suggest, suggestion } from "../../diagnostics/suggest.ts";
import type { Builtin, Property, Type } from "../../kind.ts";
import type { Span } from "../../source/source.ts";
import type { Argument, Expression } from "../../syntax/ast.ts";
import { conform } from "../../types/conform.ts";
import { elsewhereOf } from "../../types/fixes-for.ts";
import { describeType, lostType, meanings } from "../../types/type.ts";
import { none, show, unknown, type Value, type Valued } from "../../types/value.ts";
import { exceeds } from "./arity.ts";
import { limited, mayLook, partsOf } from "./bulk.ts";
import { callFunction } from "./call-function.ts";
import { choicesWith, placeOf } from "./choices-with.ts";
import { constructorIn, constructorNames, declaredConstructor, judgeParam } from "./constructors.ts";
import type { Context } from "../context.ts";
import { defaultOf } from "../blocks/default.ts";
import { pathOf } from "../formulas/formula-names.ts";
import { fitted } from "../blocks/fitted.ts";
import { foreignCall } from "./foreign-calls.ts";
import { isLost } from "../declarations/is-lost.ts";
import { itemsOf } from "./items.ts";
import { lookup } from "../declarations/lookup.ts";
import { madeAt } from "./made-at.ts";
import { said } from "./no-value.ts";
import { matchArguments } from "./match-arguments.ts";
import { rewrittenCall } from "./rewritten-call.ts";
import { rivalOf } from "./rival.ts";
import { anotherRole } from "./role.ts";
import { swappedArguments } from "./swapped-arguments.ts";
import { textOf, uriMeant } from "./uri-meant.ts";
import type { Scope } from "../scope.ts";
import { whyNoNumber } from "./why-no-number.ts";

type Choice = Extract<Type, { kind: "choice" }>;

export function evaluateCall(
  call: Extract<Expression, { kind: "call" }>,
  scope: Scope,
  expected: Type | null,
  what: string,
  context: Context,
): Value | Valued {
  const { callee } = call;
  const name = callee.kind === "reference" ? callee.name.text : callee.kind === "auto" ? "auto" : null;
  const types = meanings(expected);
  const path = name ?? pathOf(callee);
  if (path !== null) {
    const choice = types.find(
      (t): t is Choice => t.kind === "choice" && constructorIn(path, t, scope, context) !== null,
    );
    if (choice !== undefined && name === null)
      return construct(path, choice, call.arguments, callee.span, scope, context);
    if (choice !== undefined && name !== null) {
      const symbol = scope.module.names.get(name);
      // A value is not called.
      const declared =
        symbol?.kind === "fn" || symbol?.kind === "block" ? rivalOf(symbol, types, context.registry) : null;
      if (declared !== null && Object.hasOwn(choice.constructors, name)) {
        context.report(ambiguousName(callee.span, { name, expected: choice.name, declared }));
        return unknown;
      }
      return construct(name, choice, call.arguments, callee.span, scope, context);
    }
  }
  if (types.some((t) => t.kind === "formula" && t.names === undefined))
    return { kind: "formula", expression: call, scope, tree: null };
  const made = callee.kind === "member" ? madeAt(callee, call, scope, context) : null;
  if (made !== null) return made;
  if (path !== null && isLost(path.split(".")[0] ?? "", scope)) {
    for (const { value } of call.arguments) context.evaluate(value, scope, lostType, "an argument");
    return unknown;
  }
  const target = called(callee, scope, context);
  const value = target === null ? null : "origin" in target ? target.value : target;
  if (value?.kind === "unknown") return value;
  if (value?.kind === "function") return callFunction(value, call.arguments, call.span, scope, context);
  if (
    name === "env" &&
    value === null &&
    types.length > 0 &&
    types.every(({ kind }) => kind === "secret" || kind === "none")
  ) {
    const instead = `declare \`secret key = ${call.span.source.text.slice(call.span.start, call.span.end)}\` and name it: \`key\``;
    context.report(secretWritten(call.span, { what, instead }));
    return unknown;
  }
  const builtin = name === null || value !== null ? undefined : context.builtins.get(name);
  if (builtin !== undefined && name !== null)
    return callBuiltin(name, builtin, call.arguments, call.span, scope, context);
  const written = callee.span.source.text.slice(callee.span.start, callee.span.end);
  const last = callee.kind === "member" ? callee.name.text : written;
  const choices = types.filter((t): t is Choice => t.kind === "choice");
  const valid =
    choices.length > 0 ? choices.flatMap((t) => constructorNames(t, scope, context)) : [...context.builtins.keys()];
  const uri = uriMeant(name, call, types);
  if (value !== null && name !== null && context.builtins.has(name))
    context.report(ambiguousName(callee.span, { name, expected: "built-in function", declared: "value" }));
  else if (value !== null) {
    const instead = anotherRole(value, choices, context);
    if (instead === null) return unknown;
    const fix = "Name a plugin with the role that this property needs, or use this plugin where its role is needed.";
    const words = choices.length > 0 ? { valid } : {};
    const details = instead === undefined ? words : { ...words, fix };
    context.report(notCallable(callee.span, { what: show(value), instead }, details));
  } else if (name !== null && types.some((t) => t.kind === "enum" && t.values.includes(name))) {
    const instead = `it is one of the words of ${what} and takes no arguments`;
    context.report(
      notCallable(callee.span, { what: `\`${name}\``, instead }, { fixes: [replacement(call.span, name)] }),
    );
  } else if (choices.length > 0 && (uri !== null || foreignCall(last) === undefined)) {
    const slots = { what, found: `\`${written}\``, expected: choices.map((t) => t.name).join(" or ") };
    const [only] = call.arguments.length === 1 ? call.arguments : [];
    const text = textOf(only?.value);
    const meant = uri ?? (text === null ? null : choices.map((t) => t.ofText?.(text) ?? null)[0]);
    const details =
      meant === undefined || meant === null
        ? suggestion(
            callee.span,
            nearest(written, valid) ?? valid.find((word) => word === last.toLowerCase()) ?? null,
            valid,
          )
        : { valid, fixes: [replacement(call.span, meant)] };
    context.report(wrongChoice(callee.span, slots, details));
  } else {
    const takers = name === null ? [] : [...choicesWith(name, context.registry)];
    const [taker] = takers;
    if (taker !== undefined && expected !== null && expected.kind !== "any") {
      const slots = { what, expected: describeType(expected), found: `\`${name}(…)\`` };
      const place = name === null ? null : placeOf(name, context.registry, `${name}(…)`);
      const fix = elsewhereOf(expected) ?? `${place ?? ""}; write a value of the expected type here.`;
      context.report(
        typeMismatch(callee.span, slots, uri === null ? { fix } : { fixes: [replacement(call.span, uri)] }),
      );
      return unknown;
    }
    const instead =
      taker === undefined
        ? foreignCall(last)
        : `it is only a value of its own property, \`${taker[0]} = ${name}(…)\``;
    const rewritten = rewrittenCall(last, call);
    const advice =
      instead === undefined ? suggest(callee.span, written, valid) : { fix: "Write it as the message says." };
    const details = rewritten === null ? advice : { ...advice, fixes: [rewritten] };
    context.report(notCallable(callee.span, { what: `\`${written}\``, instead }, details));
  }
  return unknown;
}

/** `optimizer = lib.mine`: what a file that is imported as a whole declares for the role that is wanted. */
export function declaredBehind(
  member: Extract<Expression, { kind: "member" }>,
  scope: Scope,
  expected: Type | null,
  context: Context,
): Value | null {
  const path = pathOf(member);
  const isWanted = (t: Type): t is Choice =>
    t.kind === "choice" && path !== null && declaredConstructor(path, t.name, scope, context) !== null;
  const choice = meanings(expected).find(isWanted);
  return choice === undefined || path === null ? null : construct(path, choice, null, member.span, scope, context);
}

/** What a name stands for, or a name of a file that is imported as a whole. */
function called(callee: Expression, scope: Scope, context: Context): Value | Valued | null {
  if (callee.kind === "reference") return lookup(callee.name, scope, context);
  if (callee.kind !== "member" || callee.object.kind !== "reference") return null;
  const file = callee.object.name.text;
  const isFile = !scope.locals.has(file) && scope.module.names.get(file)?.kind === "namespace";
  return isFile ? context.evaluate(callee, scope, null, "what is called") : null;
}

/** `adamw(lr = 6e-4)`: every argument checked, every default filled in. A bare word, without arguments, has its defaults. */
export function construct(
  name: string,
  choice: Choice,
  written: readonly Argument[] | null,
  at: Span,
  scope: Scope,
  context: Context,
): Value {
  const found = constructorIn(name, choice, scope, context);
  if (found === null) return unknown;
  const { constructor, declared } = found;
  const by = declared === null ? {} : { declared, role: choice.name };
  const word = name.slice(name.lastIndexOf(".") + 1);
  if (written === null && choice.compared === true)
    return { kind: "choice", name: word, arguments: new Map(), any: true, ...by };
  const { of: given, meant, others } = matchArguments(name, constructor, written ?? [], context);
  const values = new Map<string, Valued>();
  const missing: { name: string; doc: string }[] = [];
  const fallback = (parameter: string, property: Property): Valued =>
    constructor.fallback?.(parameter) ?? defaultOf(property, name, at, context);
  for (const [parameter, property] of Object.entries(constructor.parameters)) {
    const argument = given.get(parameter);
    if (argument !== undefined) {
      const what = `\`${parameter}\` of ${name}`;
      const value = said(argument, property, scope, what, context);
      const kept = fitted(value, property, what, context.report);
      if (declared !== null) judgeParam(declared, parameter, kept);
      values.set(parameter, kept.value.kind === "auto" ? fallback(parameter, property) : writtenAt(kept, argument));
    } else if (property.required === true) {
      if (!meant(parameter) && scope.self?.strangeArguments?.has(parameter) !== true)
        missing.push({ name: parameter, doc: property.doc });
      values.set(parameter, { value: unknown, span: at, origin: { kind: "default", by: name } });
    } else values.set(parameter, fallback(parameter, property));
  }
  if (missing.length > others) context.report(argumentMissing(at, { of: name, missing }));
  return { kind: "choice", name: word, arguments: values, ...by };
}

/** An argument is written where it stands, like a property: what a name in it or a function gives was written elsewhere. */
const writtenAt = (said: Valued, { span }: Expression): Valued =>
  said.origin.kind === "written" ? { ...said, span, origin: { ...said.origin, span } } : said;

function callBuiltin(
  name: string,
  builtin: Builtin,
  written: readonly Argument[],
  at: Span,
  scope: Scope,
  context: Context,
): Value {
  const raw: Valued[] = [];
  const values: Valued[] = [];
  const problems: Diagnostic[] = [];
  const last = builtin.parameters.at(-1);
  const takes = builtin.parameters.map((parameter) => parameter.name);
  if (last?.rest !== true && exceeds(name, takes, written, context)) return unknown;
  for (const [index, argument] of written.entries()) {
    const position =
      argument.name === null ? index : builtin.parameters.findIndex((p) => p.name === argument.name?.text);
    const parameter = builtin.parameters[position] ?? (last?.rest === true ? last : undefined);
    if (parameter === undefined) {
      const span = argument.name?.span ?? argument.span;
      const unknownName = argument.name?.text ?? "";
      for (const problem of problems) context.report(problem);
      context.report(argumentUnknown(span, { name: unknownName, of: name }, suggest(span, unknownName, takes)));
      return unknown;
    }
    const what = `\`${parameter.name}\` of ${name}`;
    const wanted = parameter.type.kind === "any" ? null : parameter.type;
    const value = context.evaluate(argument.value, scope, wanted, what);
    const place = position === -1 ? index : position;
    raw[place] = value;
    values[place] = conform(value, parameter.type, what, (problem) => problems.push(problem));
  }
  if (problems.length > 0) {
    const swap = swappedArguments(name, builtin, raw, written, at);
    for (const problem of swap === null ? problems : [swap]) context.report(problem);
  }
  const missing = builtin.parameters.findIndex(
    (p, i) => p.optional !== true && p.rest !== true && values[i] === undefined,
  );
  const absent = builtin.parameters[missing];
  if (absent !== undefined) {
    context.report(argumentMissing(at, { of: name, missing: [{ name: absent.name, doc: builtin.doc }] }));
    return unknown;
  }
  const filled = Array.from(
    values,
    (v) => v ?? { value: none, span: at, origin: { kind: "default" as const, by: name } },
  );
  const bad = filled.find((v) => v.value.kind === "unknown");
  if (bad !== undefined) return bad.value;
  if (
    !mayLook(
      filled.reduce((sum, { value }) => sum + partsOf(value), 0),
      at,
      context,
    )
  )
    return unknown;
  const result = builtin.call(filled);
  const shown = filled.map((v) => show(v.value)).join(", ");
  if ("takes" in result) {
    const parts = filled.flatMap((each): readonly Valued[] => itemsOf(each.value) ?? [each]);
    const secret = parts.find(({ value }) => value.kind === "secret");
    if (secret?.value.kind === "secret") {
      context.report(secretMisused(at, { name: secret.value.name }));
      return unknown;
    }
    const what = `the argument${filled.length === 1 ? "" : "s"} of \`${name}\``;
    const slots = { what, expected: result.takes, found: shown === "" ? "nothing" : shown };
    const fix = `Give \`${name}\` ${result.takes}.`;
    context.report(swappedArguments(name, builtin, raw, written, at) ?? typeMismatch(at, slots, { fix }));
    return unknown;
  }
  if (result.kind === "string") return limited(result.value, at, context);
  if (result.kind !== "number" || Number.isFinite(result.value)) return result;
  context.report(notFinite(at, { what: `\`${name}\` of ${shown}`, why: whyNoNumber(result.value) }));
  return unknown;
}
