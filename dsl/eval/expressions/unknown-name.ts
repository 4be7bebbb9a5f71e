/** A name that stands for nothing: what may stand there, and what was meant. */
import { unknownName } from "../../diagnostics/catalog/names.ts";
import type { Fix } from "../../diagnostics/diagnostic.ts";
import { replacement, suggest } from "../../diagnostics/suggest.ts";
import { inTable } from "../../in-table.ts";
import type { BlockKind, Type } from "../../kind.ts";
import { isShellRun, shellRunFix } from "../../lexer/shell-run.ts";
import { importOf } from "../../symbols/import-of.ts";
import type { Module, Symbol } from "../../symbols/symbol.ts";
import type { Span } from "../../source/source.ts";
import type { Name } from "../../syntax/ast.ts";
import { inPath } from "../../syntax/outside.ts";
import { units } from "../../types/units.ts";
import { enclosing } from "../blocks/instance.ts";
import type { Context } from "../context.ts";
import { isLost } from "../declarations/is-lost.ts";
import { ownBlock } from "../own-block.ts";
import type { Scope } from "../scope.ts";
import { constructorNames } from "./constructors.ts";
import { elsewhere } from "./elsewhere.ts";

/** Whether a block of a kind may stand where these types are expected; a formula may speak of any. */
const mayBeBlock = (types: readonly Type[], kinds: readonly string[], kind: string): boolean =>
  kinds.length > 0 ? kinds.includes(kind) : types.every((t) => ["any", "formula", "path", "list"].includes(t.kind));

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

const encloses = (outer: Span, { source, start, end }: Span): boolean =>
  outer.source.path === source.path && outer.start <= start && end <= outer.end;

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

export function reportUnknown(name: Name, types: readonly Type[], scope: Scope, context: Context): void {
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
  // Nothing is made of itself; only what is said of a block may be said of its other members.
  const mayStand = (s: Symbol): boolean =>
    s.kind === "block"
      ? mayBeBlock(types, kinds, s.node.head[0].text) && !(kinds.length > 0 && encloses(s.node.span, name.span))
      : s.kind === "namespace" || !encloses(s.node.span, name.span);
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
