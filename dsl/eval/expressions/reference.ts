/** Bare names: members and constructors of the expected type, then lexical names, then kind words. */
import { ambiguousName, unknownName } from "../../diagnostics/catalog/names.ts";
import type { Fix } from "../../diagnostics/diagnostic.ts";
import { replacement, suggest } from "../../diagnostics/suggest.ts";
import type { BlockKind, Type } from "../../kind.ts";
import { isShellRun, shellRunFix } from "../../lexer/shell-run.ts";
import type { Name } from "../../syntax/ast.ts";
import { inPath } from "../../syntax/outside.ts";
import { importOf } from "../../symbols/import-of.ts";
import type { Module, Symbol } from "../../symbols/symbol.ts";
import { meanings } from "../../types/type.ts";
import { units } from "../../types/units.ts";
import { unknown, type Value, type Valued } from "../../types/value.ts";
import { wordOf } from "../../types/word.ts";
import { construct } from "./call.ts";
import type { Context } from "../context.ts";
import { enclosing } from "../blocks/instance.ts";
import { constructorIn, constructorNames } from "./constructors.ts";
import { noValues } from "./no-value.ts";
import { isLost } from "../declarations/is-lost.ts";
import { lookup } from "../declarations/lookup.ts";
import { phases } from "../phases.ts";
import { rivalOf } from "./rival.ts";
import { anotherRole } from "./role.ts";
import type { Scope } from "../scope.ts";
import { inTable } from "../../in-table.ts";
import { ownBlock } from "../own-block.ts";

/** What people write for `true`, `false` and `none` elsewhere. */
const elsewhere: Readonly<Record<string, string>> = {
  True: "true",
  yes: "true",
  on: "true",
  False: "false",
  no: "false",
  off: "false",
  ...Object.fromEntries(noValues.map((word) => [word, "none"])),
};

const onlyNone: ReadonlySet<Type["kind"]> = new Set(["block", "choice", "handle", "enum"]);

export function evaluateReference(name: Name, scope: Scope, expected: Type | null, context: Context): Value | Valued {
  const types = meanings(expected);
  const isClear = (expected: string): boolean => {
    const symbol = scope.locals.has(name.text) ? undefined : scope.module.names.get(name.text);
    const declared = rivalOf(symbol, types, context.registry);
    if (declared !== null) context.report(ambiguousName(name.span, { name: name.text, expected, declared }));
    return declared === null;
  };
  for (const type of types) {
    if (type.kind === "enum" && type.values.includes(name.text)) {
      return isClear(type.name) ? wordOf(type, name.text) : unknown;
    }
    if (type.kind === "choice" && constructorIn(name.text, type, scope, context)?.declared != null)
      return construct(name.text, type, null, name.span, scope, context);
    if (type.kind === "choice" && Object.hasOwn(type.constructors, name.text)) {
      return isClear(type.name) ? construct(name.text, type, null, name.span, scope, context) : unknown;
    }
  }
  const found = lookup(name, scope, context);
  if (found !== null) {
    const value = "origin" in found ? found.value : found;
    const choices = types.filter((t) => t.kind === "choice");
    return choices.length > 0 && anotherRole(value, choices, context) === null ? unknown : found;
  }
  if (types.some((t) => t.kind === "formula" && t.names === undefined))
    return { kind: "formula", expression: { kind: "reference", name, span: name.span }, scope, tree: null };
  if (phases.has(name.text)) {
    const around = [...enclosing(scope.self)].find(({ kind }) => inTable(kind.derived, name.text) !== undefined);
    const derived = inTable(around?.kind.derived, name.text);
    return around !== undefined && derived !== undefined
      ? derived.compute(around)
      : { kind: "unknown", later: true, phase: name.text };
  }
  const meant = inTable(elsewhere, name.text);
  if (meant !== undefined && meant !== "none" && types.length > 0 && !types.some(mayBeTruth))
    return { kind: "bool", value: meant === "true" };
  reportUnknown(name, types, scope, context);
  return unknown;
}

/** Whether a block of a kind may stand where these types are expected; a formula may speak of any. */
const mayBeBlock = (types: readonly Type[], kinds: readonly string[], kind: string): boolean =>
  kinds.length > 0 ? kinds.includes(kind) : types.every((t) => ["any", "formula", "path", "list"].includes(t.kind));

/** Whether `true` or `false` means something to a type, or a word of its own would in that place. */
const mayBeTruth = ({ kind }: Type): boolean => onlyNone.has(kind) || ["bool", "any", "formula"].includes(kind);

/** `${RUN}`, `${HOME}`: a shell's names of the run and of what the environment knows. */
function outside(name: Name): readonly Fix[] {
  if (isShellRun(name.text)) {
    const { source, start, end } = name.span;
    const isInterpolated = source.text.slice(start - 2, start) === "${" && source.text[end] === "}";
    return isInterpolated
      ? [shellRunFix({ source, start: start - 2, end: end + 1 }, "${run.id}")]
      : [shellRunFix(name.span, "run.id")];
  }
  return /^[A-Z][A-Z0-9_]+$/.test(name.text) ? [replacement(name.span, `env(${JSON.stringify(name.text)})`)] : [];
}

/** Where other languages keep their variables. */
const spaces: ReadonlySet<string> = new Set([
  "var",
  "local",
  "locals",
  "self",
  "this",
  "cfg",
  "conf",
  "config",
  "args",
  "params",
  "hparams",
  "opts",
]);

/** `var.seed` is `seed`, `os.environ["OUT"]` is `env("OUT")`. */
function behindSpace({ text, span }: Name, { module }: Scope): readonly Fix[] {
  const after = span.source.text.slice(span.end, span.end + 80);
  const variable = text === "os" ? /^\.environ\[("\w+")\]/.exec(after) : null;
  if (variable !== null)
    return [replacement({ ...span, end: span.end + variable[0].length }, `env(${variable[1] ?? ""})`)];
  const member = spaces.has(text) ? /^\.(\w+)/.exec(after)?.[1] : undefined;
  return member !== undefined && module.names.has(member)
    ? [replacement({ ...span, end: span.end + 1 + member.length }, member)]
    : [];
}

/** `3 tokens / s`: the unit of a quotient that blanks cut off; and `100 * steps`, of a number. */
function unitBehindSign({ text, span }: Name): readonly Fix[] {
  if (!units.has(text)) return [];
  const times = /\d(?:[KMGT]i|[KMBT])?([ \t]*\*[ \t]*)$/.exec(span.source.text.slice(0, span.start))?.[1];
  if (times !== undefined)
    return [
      replacement({ ...span, start: span.start - times.length }, ` ${text}`, `write \`${text}\` without \`*\``),
    ];
  const before = /\d ?[A-Za-z]*([ \t]*\/[ \t]*)$/.exec(span.source.text.slice(0, span.start))?.[1];
  return before === undefined
    ? []
    : [replacement({ ...span, start: span.start - before.length }, `/${text}`, `write \`/${text}\` without blanks`)];
}

/** Of a closed list another number may be a slip, `bf15`, where one word alone has these letters. */
function sameLetters(written: string, words: readonly string[]): string | null {
  const letters = (word: string): string => word.replaceAll(/\d+/g, "").toLowerCase();
  const alike = words.filter((word) => /\d/.test(word) && letters(word) === letters(written));
  return alike.length === 1 && /[a-z]/i.test(letters(written)) ? (alike[0] ?? null) : null;
}

/** Members of a block are named behind its kind word: `stage.length`. */
const isMember = (kind: BlockKind, name: string): boolean =>
  Object.hasOwn(kind.properties, name) ||
  Object.hasOwn(kind.derived ?? {}, name) ||
  Object.hasOwn(kind.blocks ?? {}, name);

/** What a file that is imported as a whole declares for this place: its blocks, and what has just this name. */
function behind(
  as: string,
  { names, ...module }: Module,
  wanted: string,
  mayStand: (s: Symbol) => boolean,
): string[] {
  const own = [...names].filter(([, s]) => s.module.path === module.path && s.kind !== "namespace" && mayStand(s));
  return own.flatMap(([n, s]) => (s.kind === "block" || n === wanted ? [`${as}.${n}`] : []));
}

function reportUnknown(name: Name, types: readonly Type[], scope: Scope, context: Context): void {
  const isWordOfLost = types.some((type) => type.kind === "any" && type.lost === true);
  if (isWordOfLost || isLost(name.text, scope)) return;
  const path = inPath(name.span, (first) => scope.module.names.has(first));
  if (path !== null) {
    context.report(path);
    return;
  }
  const meant = types.flatMap((t) =>
    t.kind === "choice" || t.kind === "enum" ? (inTable(t.foreign, name.text) ?? []) : [],
  );
  const better = meant.length > 0 ? undefined : inTable(elsewhere, name.text);
  const isTruth = types.length === 0 || types.some(({ kind }) => kind === "bool" || kind === "any");
  // What is neither true nor false is there or is not: of these words only `none` means something to it.
  if (better !== undefined && (isTruth || better !== "true")) {
    const word = isTruth ? better : "none";
    const valid =
      types.length === 0 ? ["true", "false", "none"] : isTruth && word !== "none" ? ["true", "false"] : [word];
    context.report(unknownName(name.span, { name: name.text }, { fixes: [replacement(name.span, word)], valid }));
    return;
  }
  const words = types.flatMap((t) =>
    t.kind === "enum" ? t.values : t.kind === "choice" ? constructorNames(t, scope, context) : [],
  );
  const truths = types.some(({ kind }) => kind === "bool") ? ["true", "false"] : [];
  const kinds = types.flatMap((t) => (t.kind === "block" || t.kind === "handle" ? t.kinds : []));
  const mayStand = (s: Symbol): boolean => s.kind !== "block" || mayBeBlock(types, kinds, s.node.head[0].text);
  const declared = [...scope.module.names].flatMap(([n, s]) =>
    s.kind === "namespace" ? [n, ...behind(n, s.of, name.text, mayStand)] : mayStand(s) ? [n] : [],
  );
  const own = [...enclosing(scope.self)].find(({ kind }) => isMember(kind, name.text));
  const unit = unitBehindSign(name);
  if (own !== undefined && words.length === 0 && unit.length === 0) {
    const fixes = [replacement(name.span, `${own.kind.name}.${name.text}`)];
    context.report(unknownName(name.span, { name: name.text }, { fixes }));
    return;
  }
  if (scope.module.names.get(name.text)?.kind === "namespace") {
    const fix = `Name what it declares: \`${name.text}\` is a whole file, \`${name.text}.x\` is one of its names.`;
    const valid = declared.filter((each) => each.startsWith(`${name.text}.`));
    context.report(unknownName(name.span, { name: name.text }, { fix, valid }));
    return;
  }
  const inner = /^\.(\w+)/.exec(name.span.source.text.slice(name.span.end))?.[1];
  if (inner !== undefined && scope.module.names.has(inner)) {
    const whole = { ...name.span, end: name.span.end + inner.length + 1 };
    context.report(
      unknownName(name.span, { name: name.text }, { fixes: [replacement(whole, inner)], valid: [inner] }),
    );
    return;
  }
  if (meant.length > 0) {
    const [reason] = types.flatMap((t) => (t.kind === "choice" ? (inTable(t.reasons ?? {}, name.text) ?? []) : []));
    const fixes = meant.map((word) =>
      replacement(name.span, word, reason === undefined ? undefined : `write \`${word}\`: ${reason}`),
    );
    context.report(unknownName(name.span, { name: name.text }, { valid: words, fixes }));
    return;
  }
  const slip = words.length > 0 ? sameLetters(name.text, words) : null;
  const suggested = suggest(name.span, name.text, words.length > 0 ? words : [...truths, ...declared]);
  const near =
    slip === null || (suggested.fixes ?? []).length > 0
      ? suggested
      : { ...suggested, fixes: [replacement(name.span, slip)] };
  const mayBeAny = types.every(({ kind }) => ["any", "formula", "path", "list"].includes(kind));
  const wanted = kinds.length > 0 || !mayBeAny ? [...kinds, ""] : undefined;
  const known = importOf(name.text, scope.module.file, context.registry.std, wanted);
  const unheard = ownBlock(name, kinds, scope.module.file, context.registry);
  const guesses =
    known === null
      ? unheard.fixes.length > 0
        ? unheard
        : { ...unheard, fixes: [...behindSpace(name, scope), ...outside(name)] }
      : { fixes: [known] };
  const details =
    unit.length > 0 ? { ...near, fixes: unit } : (near.fixes ?? []).length > 0 ? near : { ...near, ...guesses };
  const quoted = types.some((t) => t.kind === "string" || t.kind === "path");
  const fixes = quoted
    ? [replacement(name.span, JSON.stringify(name.text), "put it in quotes"), ...(details.fixes ?? [])]
    : (details.fixes ?? []);
  context.report(unknownName(name.span, { name: name.text }, { ...details, fixes }));
}
