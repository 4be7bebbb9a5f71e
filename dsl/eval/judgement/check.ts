/** Judges everything that the user's files say, used or not. */
import { abstractUsed, ambiguousName, duplicateName, misplaced } from "../../diagnostics/catalog/names.ts";
import { varyEmpty } from "../../diagnostics/catalog/formulas.ts";
import { missingProperty } from "../../diagnostics/catalog/properties.ts";
import { typeMismatch } from "../../diagnostics/catalog/values.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Type } from "../../kind.ts";
import type { Name } from "../../syntax/ast.ts";
import { checkAmendments } from "../../symbols/load.ts";
import type { Module } from "../../symbols/symbol.ts";
import { conform } from "../../types/conform.ts";
import { meanings } from "../../types/type.ts";
import { anything, parameter, type Value, type Valued } from "../../types/value.ts";
import type { Span } from "../../source/source.ts";
import { checkAbsent } from "../blocks/absent.ts";
import { amended } from "../blocks/amended.ts";
import { blockAway } from "../blocks/amended-away.ts";
import { applyFunction, reportRecursion } from "../expressions/call-function.ts";
import { constructorOf } from "../expressions/constructors.ts";
import { wordOf } from "../../types/word.ts";
import type { Context } from "../context.ts";
import { expectationsIn } from "../formulas/expectation.ts";
import { isRemoved } from "../blocks/is-removed.ts";
import { judge } from "./judge.ts";
import { describeInstance, type Instance } from "../blocks/instance.ts";
import { oneParent } from "../blocks/one-parent.ts";
import { checkAmendedAway, checkNotTaken } from "./not-taken.ts";
import type { Program } from "../program.ts";
import { boundsOf, groupOf } from "../blocks/property.ts";
import { recursionOf } from "../declarations/recursion.ts";
import { isPresent } from "../declarations/lookup.ts";
import { sorted } from "../../symbols/sorted.ts";
import { saidOnce } from "../blocks/said-once.ts";
import { strayBounds } from "./stray-bounds.ts";
import { typeOf } from "../declarations/type-expression.ts";
import { besideVary } from "../variants/beside-vary.ts";
import { variationsOf } from "../variants/vary.ts";
import { listed } from "../listed.ts";
import { article } from "../../diagnostics/article.ts";

/**
 * Evaluates every declaration of the user's files; assertions are judged when there is a plan to look at. How the files are
 * written is the same in every variant: of a trial only the `values` are judged.
 */
export function check(program: Program, what: "all" | "values" = "all"): readonly Diagnostic[] {
  const { context } = program;
  for (const block of [...program.blocks, ...program.amendedLibrary]) checkInstance(block);
  for (const module of program.modules.values()) {
    if (module.path.startsWith("std/")) continue;
    if (what === "all") checkText(module, program);
    for (const symbol of sorted(module, context.registry).values) {
      const { value } = context.symbolValue(symbol, symbol.name.span);
      if (value.kind === "function") checkFunction(value, context);
      const { text, span } = symbol.name;
      if (symbol.kind === "fn" && context.builtins.has(text))
        context.report(ambiguousName(span, { name: text, expected: "built-in function", declared: "fn" }));
    }
  }
  if (what === "all") {
    const isOwn = (path: string) => program.modules.has(path) && !path.startsWith("std/");
    // A file without a step of its own brings its names to others.
    if (program.blocks.some(({ symbol, kind }) => symbol?.module === program.root && kind.step === true))
      strayBounds(
        sorted(program.root, context.registry).values.filter((symbol) => symbol.kind === "let"),
        program.root,
      ).forEach(context.report);
    program.replaced().forEach(blockAway);
    checkAmendedAway(context, isOwn);
    checkNotTaken(context, isOwn);
  }
  return program.diagnostics;
}

function checkText(module: Module, program: Program): void {
  const { context, overlayFiles } = program;
  const isKind = (name: string) => Object.hasOwn(context.registry.kinds, name);
  if (!overlayFiles.includes(module.path))
    for (const diagnostic of checkAmendments(module.file, isKind)) context.report(diagnostic);
  saidOnce(module, program);
  oneParent(module.file.statements, context.report);
}

/** Judges every assertion: of the files, and of the blocks that are no templates. */
export function judgeAll(program: Program): readonly Diagnostic[] {
  const { context } = program;
  program.askAgain();
  for (const module of program.modules.values()) {
    if (module.path.startsWith("std/")) continue;
    for (const statement of module.file.statements) {
      if (statement.kind === "assert") judge(statement, { module, locals: new Map(), self: null }, context);
    }
  }
  for (const block of program.blocks) judgeInstance(block);
  return program.diagnostics;
}

function judgeInstance(instance: Instance): void {
  if (!isPresent(instance) || isTemplate(instance)) return;
  for (const { node, by } of instance.checks) {
    if (node.kind === "assert")
      judge(node, { module: by.module, locals: by.locals, self: instance }, instance.context);
  }
  for (const child of instance.blocks.values()) judgeInstance(child);
}

/** A function's body, whatever it is called with, and what its header says. */
function checkFunction(value: Extract<Value, { kind: "function" }>, context: Context): void {
  const { node, scope } = value;
  const recursion = recursionOf({ node, module: scope.module });
  if (recursion !== null) reportRecursion(recursion, context);
  eachOnce(
    node.parameters.map(({ name }) => name),
    "Rename one of the two.",
    context,
  );
  const any = node.parameters.map(({ name, type, default: usual }): [string, Valued] => {
    const expected = type === null ? null : typeOf(type, scope, context);
    const what = `\`${name.text}\` of ${node.name.text}`;
    const said = usual === null ? null : context.evaluate(usual, scope, expected, what);
    if (said !== null && expected !== null) conform(said, expected, what, context.report);
    const origin = { kind: "default", by: node.name.text } as const;
    const any: Valued = { value: anyOf(expected), span: name.span, origin };
    return [name.text, expected === null || expected.kind === "any" ? any : { ...any, of: expected }];
  });
  applyFunction(value, new Map(any), context);
}

/** Words are compared with a word of an enum, whichever it is; of everything else nothing is known. */
function anyOf(type: Type | null): Value {
  if (type === null) return anything;
  if (type.kind !== "enum") return parameter;
  return wordOf(type, type.values[0] ?? "");
}

/** `on` and `after` name blocks that are there and of the right kind, where the kind takes such a clause. */
function checkClauses(instance: Instance): void {
  const { clauses, kind, context } = instance;
  const written = [
    ...(clauses.on === null ? [] : [["on", clauses.on] as const]),
    ...clauses.after.map((a) => ["after", a] as const),
  ];
  for (const [word, { path, module }] of written) {
    const span = { ...path[0].span, end: path[path.length - 1]?.span.end ?? path[0].span.end };
    if (kind.clauses?.includes(word) !== true) {
      context.report(misplaced(span, { what: `\`${word} …\``, where: `in the header of ${article(kind.name)}` }));
      continue;
    }
    const places = kind.on ?? ["cluster"];
    const steps = Object.values(context.registry.kinds).flatMap(({ name, step }) => (step === true ? [name] : []));
    const symbol = context.resolve(path, module, word === "on" ? places : steps);
    if (symbol !== null && isRemoved(symbol, span, context)) continue;
    const target = symbol === null ? null : context.instanceOf(symbol);
    const fits = target === null || (word === "on" ? places.includes(target.kind.name) : target.kind.step === true);
    if (fits && target?.abstract === true) {
      context.report(abstractUsed(span, { name: target.name ?? "", kind: target.kind.name }));
    } else if (!fits) {
      const expected = word === "on" ? listed(places.map(article)) : "a step";
      context.report(typeMismatch(span, { what: `\`${word}\``, expected, found: describeInstance(target) }));
    }
  }
}

export function checkInstance(instance: Instance): void {
  if (!isPresent(instance)) return checkAbsent(instance);
  checkClauses(instance);
  const { kind, context } = instance;
  const abstract = isTemplate(instance);
  const missing: Diagnostic[] = [];
  for (const [name, property] of Object.entries(kind.properties)) {
    // A default is right by construction, and most properties are never asked for.
    if (!instance.values.has(name) && property.required !== true) continue;
    const value = context.property(instance, name, instance.span);
    if (instance.strangers.has(name)) continue;
    if (property.required === true && !abstract && value.value.kind === "none" && value.origin.kind === "default") {
      if (instance.bounds.some((b) => b.node.target[0].text === name)) continue;
      const words = meanings(property.type).flatMap((t) => (t.kind === "enum" ? t.values : []));
      const slots = { name, where: describeInstance(instance), doc: property.doc };
      missing.push(missingProperty(instance.span, slots, { valid: words }));
    }
  }
  // A name that the block does not know may be what was meant for one that it needs.
  const nameless = [...instance.strangers].filter((name) => !Object.hasOwn(kind.properties, name));
  if (missing.length > nameless.length) missing.forEach(context.report);
  if (kind.open === true) for (const name of instance.values.keys()) context.property(instance, name, instance.span);
  boundsOf(instance);
  if (kind.varies !== undefined) variationsOf(instance);
  if (!abstract) expectationsIn(instance);
  if (kind.constructs !== undefined) checkParams(instance);
  if (kind.amends === true && !abstract) {
    const copy = amended(instance);
    if (copy !== null) checkInstance(copy);
  }
  for (const [name, { varies }] of Object.entries(kind.blocks ?? {})) {
    const group = groupOf(instance, name);
    if (group !== null) checkInstance(group);
    else if (
      varies !== undefined &&
      !abstract &&
      instance.strangeGroups.size === 0 &&
      instance.amendments.length === 0
    )
      context.report(varyEmpty(instance.span, { sweep: instance.name ?? kind.name }));
  }
  for (const found of besideVary(instance)) context.report(found);
  for (const child of instance.blocks.values()) {
    if (child.name !== null) checkInstance(child);
  }
}

/** Defaults of a constructor's parameters, and what they are called where it is made: each name once. */
function checkParams(instance: Instance): void {
  const { params, context } = instance;
  for (const name of params.keys()) constructorOf(instance).fallback?.(name);
  const called = [...params.values()].flatMap(({ node }) => (node.aliases.length === 0 ? [node.name] : node.aliases));
  eachOnce(called, "Give one of the two another name with `as`.", context);
}

function eachOnce(names: readonly Name[], fix: string, context: Context): void {
  const first = new Map<string, Span>();
  for (const { text, span } of names) {
    const earlier = first.get(text);
    first.set(text, earlier ?? span);
    if (earlier === undefined) continue;
    const related = [{ message: "the first one", span: earlier }];
    context.report(duplicateName(span, { name: text }, { related, fix }));
  }
}

/** Abstract itself, or part of something abstract. */
function isTemplate(instance: Instance): boolean {
  return instance.abstract || (instance.parent !== null && isTemplate(instance.parent));
}
