/** Does a value have a type? */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { counted } from "../diagnostics/counted.ts";
import { inTable } from "../in-table.ts";
import { replacement, suggest } from "../diagnostics/suggest.ts";
import { abstractUsed } from "../diagnostics/catalog/names.ts";
import { knownLater } from "../diagnostics/catalog/phases.ts";
import { outOfRange, typeMismatch, unitMissing, wordQuoted, wrongChoice } from "../diagnostics/catalog/values.ts";
import { secretMisused, secretWritten } from "../diagnostics/catalog/settings.ts";
import type { Instance } from "../eval/blocks/instance.ts";
import type { Type } from "../kind.ts";
import type { Span } from "../source/source.ts";
import { fixesFor } from "./fixes-for.ts";
import type { Fit, Problem } from "./fit.ts";
import { fitNumber } from "./fit-number.ts";
import { quotedWord } from "./quoted-word.ts";
import { describeType, literalTexts, meanings } from "./type.ts";
import { show, unknown, type Value, type Valued } from "./value.ts";
import { hasWord, wordOf } from "./word.ts";

/**
 * The value as the type wants it (a text becomes an enum member, a single value a list of one), or `unknown` after a report; of a list, after one for each of its items that is wrong.
 * `what` names the place in messages: "`batch`".
 */
export function conform(valued: Valued, type: Type, what: string, report: (diagnostic: Diagnostic) => void): Valued {
  const result = fit(valued, type, what);
  if ("value" in result) {
    const { value } = result;
    if (value.kind === "unknown" && !value.later) return lostAs(type, valued);
    return value === valued.value ? valued : { ...valued, value };
  }
  const problem = result.problem();
  // Elsewhere 0 leaves a part out.
  const isOff = problem.code === outOfRange.code && valued.value.kind === "number" && valued.value.value === 0;
  const leavesOut = isOff && meanings(type).some(({ kind }) => kind === "none");
  report(leavesOut ? { ...problem, fixes: [replacement(valued.span, "none")] } : problem);
  for (const other of result.others?.() ?? []) report(other);
  return lostAs(type, { ...valued, value: unknown });
}

/** A value that is lost is still of its type: what is held against it is a word of that. */
function lostAs(type: Type, valued: Valued): Valued {
  return meanings(type).some(({ kind }) => kind === "any") ? valued : { ...valued, of: type };
}

/** A template may be incomplete, and nothing of it is ever made. */
const template = ({ abstract, name, kind }: Instance, span: Span): Fit | null =>
  abstract ? { rank: 9, problem: () => abstractUsed(span, { name: name ?? "", kind: kind.name }) } : null;

function fit(valued: Valued, type: Type, what: string): Fit {
  const { value, span } = valued;
  const ok: Fit = { value };
  const mismatch = (rank = 0): Fit => ({
    rank,
    problem: () =>
      typeMismatch(span, { what, expected: describeType(type), found: foundText(valued) }, fixesFor(valued, type)),
  });
  if (value.kind === "unknown" && value.later && type.kind !== "formula" && type.kind !== "any") {
    return { rank: 9, problem: () => knownLater(span, { what, phase: value.phase, since: value.since }) };
  }
  if (value.kind === "unknown" || type.kind === "any") return ok;
  if (value.kind === "secret" && !meanings(type).some((t) => t.kind === "secret")) {
    return { rank: 9, problem: () => secretMisused(span, { name: value.name }) };
  }
  const word = quotedWord(valued, type);
  if (word !== null)
    return { rank: 8, problem: () => wordQuoted(span, { what, word }, { fixes: [replacement(span, word)] }) };
  switch (type.kind) {
    case "bool":
      return value.kind === "bool" ? ok : mismatch();
    case "number":
      return value.kind === "number" ? fitNumber(value, valued, type, what) : mismatch();
    case "string":
      if (value.kind !== "string") return mismatch();
      return type.form === undefined || type.form.pattern.test(value.value) ? ok : mismatch(1);
    case "path":
      if (value.kind === "string") return value.value.trim() === "" ? mismatch(1) : ok;
      return placeOf(value) ?? mismatch();
    case "enum":
      return fitEnum(valued, type, what) ?? mismatch();
    case "choice":
      return value.kind === "choice" &&
        (value.declared === undefined ? Object.hasOwn(type.constructors, value.name) : value.role === type.name)
        ? ok
        : mismatch();
    case "list":
      return fitList(valued, type, what);
    case "range":
      return value.kind === "range" ? ok : mismatch();
    case "block":
      if (value.kind !== "block" || !type.kinds.includes(value.block.kind.name)) return mismatch();
      return template(value.block, span) ?? ok;
    case "handle":
      if (value.kind !== "handle" || !type.kinds.includes(value.block.kind.name)) return mismatch();
      return (value.at === undefined ? type.which.includes(value.which) : type.at === true)
        ? (template(value.block, span) ?? ok)
        : mismatch();
    case "secret":
      if (value.kind === "string") return { rank: 9, problem: () => writtenSecret(span, what) };
      return value.kind === "secret" ? ok : mismatch();
    case "formula":
      return type.names === undefined || value.kind === "formula" ? ok : mismatch();
    case "none":
    case "auto":
      return value.kind === type.kind ? ok : mismatch();
    case "union": {
      let nearest: Problem | null = null;
      for (const member of type.members) {
        const tried = fit(valued, member, what);
        if ("value" in tried) return tried;
        if (nearest === null || tried.rank > nearest.rank) nearest = tried;
      }
      return nearest !== null && nearest.rank > 0 ? nearest : mismatch();
    }
  }
}

/** A block that stands for a place is a path by itself: `to = bucket`. */
function writtenSecret(span: Span, what: string): Diagnostic {
  const name = /\w+/.exec(what)?.[0] ?? "key";
  const instead = `declare \`secret ${name} = env("${name.toUpperCase()}")\` and write \`${name} = ${name}\``;
  return secretWritten(span, { what, instead });
}

function placeOf(value: Value): Fit | null {
  if (value.kind !== "block" || value.block.kind.path === undefined) return null;
  const { block } = value;
  const place = block.context.property(block, value.block.kind.path, block.span).value;
  return { value: place };
}

function fitEnum(valued: Valued, type: Extract<Type, { kind: "enum" }>, what: string): Fit | null {
  const { value, span } = valued;
  const name = value.kind === "member" ? value.name : value.kind === "string" ? value.value : null;
  if (name === null) return null;
  if (hasWord(type, name)) return { value: wordOf(type, name) };
  const meant = inTable(type.foreign, name);
  return {
    rank: 1,
    problem: () => {
      const details =
        meant === undefined
          ? suggest(span, name, type.values)
          : { valid: type.values, fixes: [replacement(span, meant)] };
      const expected = type.name === literalTexts ? "text" : type.name;
      return wrongChoice(span, { what, found: show(value), expected }, details);
    },
  };
}

/** A single value stands for a list of one. */
function fitList(valued: Valued, type: Extract<Type, { kind: "list" }>, what: string): Fit {
  const items = valued.value.kind === "list" ? valued.value.items : [valued];
  const isList = valued.value.kind === "list";
  const tried = items.map((item) => fit(item, type.element, isList ? `an item of ${what}` : what));
  let isBlock = false;
  const wrong = tried.flatMap((result, index) => {
    if (!("problem" in result)) return [];
    const fix = items[index]?.value.kind === "block" ? type.ofBlocks : undefined;
    if (fix === undefined) return [result];
    // A list of blocks is one mistake.
    if (isBlock) return [];
    isBlock = true;
    return [{ ...result, problem: () => ({ ...result.problem(), fix }) }];
  });
  const [first] = wrong;
  if (first !== undefined) {
    const all = (): Diagnostic[] => wrong.flatMap(({ problem, others }) => [problem(), ...(others?.() ?? [])]);
    return { rank: first.rank + 1, problem: first.problem, others: () => unlikeUnits(all()).slice(1) };
  }
  if (type.length !== undefined && items.length !== type.length) {
    return {
      rank: 5,
      problem: () =>
        typeMismatch(valued.span, { what, expected: describeType(type), found: counted(items.length, "value") }),
    };
  }
  const fitted = tried.flatMap((result, index) => {
    const item = items[index];
    return item !== undefined && "value" in result ? [{ ...item, value: result.value }] : [];
  });
  return { value: { kind: "list", items: fitted } };
}

/** Units that the items of a list lack are one mistake. */
function unlikeUnits(all: readonly Diagnostic[]): readonly Diagnostic[] {
  const first = all.find(({ code }) => code === unitMissing.code);
  return all.filter((each) => each.code !== unitMissing.code || each === first);
}

/** What was written, where part of it means nothing. */
function foundText({ value, span: { source, start, end } }: Valued): string {
  const isLost = value.kind === "list" && value.items.some((item) => item.value.kind === "unknown");
  return isLost ? source.text.slice(start, end).replace(/\s+/g, " ") : show(value);
}
