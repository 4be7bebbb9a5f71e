/** Conditions of `keep` that no text meets, being beyond what a fact can be or excluding each other, and those that every text meets. */
import type { Diagnostic, Fix, Related } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { FormulaNames } from "../../../dsl/kind.ts";
import type { Expression } from "../../../dsl/syntax/ast.ts";
import { units } from "../../../dsl/types/units.ts";
import type { FormulaTree, Valued } from "../../../dsl/types/value.ts";
import { keepAll, keepIdle, keepNothing } from "../../diagnostics/rows.ts";
import { facts } from "../../kinds/data/cleaning.ts";
import { comparison } from "./comparison.ts";
import { type Ends, endsOf, excludes, isEmpty, open } from "./ends.ts";
import { meantShare, rangeOf } from "./expectation-checks.ts";
import { textIn } from "./expectations.ts";

/** What a condition leaves of a fact; `key` is of those that are counted in one unit. */
interface Left extends Ends {
  readonly name: string;
  readonly key: string | null;
}

export function checkKeep(data: Instance, keep: readonly Valued[], report: (diagnostic: Diagnostic) => void): void {
  const names = facts(data);
  const before: Said[] = [];
  for (const { value: item, span } of keep) {
    if (item.kind !== "formula" || item.tree === null) continue;
    const { expression, tree } = item;
    const ways = waysOf({ tree, expression });
    const reasons = ways.map((way) => reasonAgainst(way, { expression, names, before }));
    const [why] = reasons;
    const condition = textIn(expression);
    if (why != null && reasons.every((each) => each !== null)) {
      report(keepNothing(span, { condition, why: why.text }, { related: why.related, fixes: why.fixes }));
      continue;
    }
    const dead = reasons.find((each) => each?.isAlone === true);
    if (dead != null) {
      report(keepIdle(span, { fact: dead.fact, why: dead.text }));
    }
    checkAll(expression, tree, names, report);
    const [only = [], ...others] = ways;
    if (others.length === 0) for (const left of leftBy(only, names)) before.push({ left, expression });
  }
}

/** What ends exactly where the fact's range does says on purpose that everything will do. */
function checkAll(
  expression: Expression,
  tree: FormulaTree,
  names: FormulaNames,
  report: (diagnostic: Diagnostic) => void,
): void {
  if (typeof tree !== "object" || tree === null || !("op" in tree)) return;
  const [left, right] = tree.of;
  if (expression.kind === "binary" && (tree.op === "and" || tree.op === "or")) {
    if (left !== undefined) checkAll(expression.left, left, names, report);
    if (right !== undefined) checkAll(expression.right, right, names, report);
    return;
  }
  for (const { name, least, most } of leftOf({ tree, expression }, names)) {
    const { type } = names[name] ?? {};
    const range = rangeOf(type);
    if (range === null) continue;
    const isBelow = least === -Infinity || least < range.least;
    const isAbove = most === Infinity || most > range.most;
    if (!isBelow || !isAbove) continue;
    const slots = { condition: textIn(expression), why: range.because };
    report(keepAll(expression.span, slots, { fixes: meantShare(expression, most, type) }));
  }
}

interface Said {
  readonly left: Left;
  readonly expression: Expression;
}

interface Reason {
  /** What it speaks of. */
  readonly fact: string;
  readonly text: string;
  readonly related: readonly Related[];
  readonly fixes: readonly Fix[];
  /** Whatever else is said. */
  readonly isAlone: boolean;
}

/** A part of a condition, and how it is written where that is known. */
interface Part {
  readonly tree: FormulaTree;
  readonly expression: Expression | null;
}

/** The ways in which a condition holds, each a list of what holds then. */
function waysOf(part: Part): readonly (readonly Part[])[] {
  const { tree, expression } = part;
  if (typeof tree !== "object" || tree === null || !("op" in tree)) return [[part]];
  if (tree.op !== "and" && tree.op !== "or") return [[part]];
  const written = expression?.kind === "binary" && expression.op === tree.op ? expression : null;
  const sides = [written?.left ?? null, written?.right ?? null];
  const parts = tree.of.map((each, index) => waysOf({ tree: each, expression: sides[index] ?? null }));
  if (tree.op === "or") return parts.flat();
  // What has so many ways is not held against each of them.
  if (parts.reduce((product, each) => product * each.length, 1) > mostWays) return [[]];
  return parts.reduce<readonly (readonly Part[])[]>(
    (ways, each) => ways.flatMap((way) => each.map((more) => [...way, ...more])),
    [[]],
  );
}

const mostWays = 64;

/** Why nothing is met in this way. */
function reasonAgainst(
  way: readonly Part[],
  { expression, names, before }: { expression: Expression; names: FormulaNames; before: readonly Said[] },
): Reason | null {
  const own: Said[] = [];
  for (const left of leftBy(way, names)) {
    const range = rangeOf(names[left.name]?.type);
    const same = ({ left: said }: Said): boolean =>
      said.key === left.key && left.key !== null && excludes(said, left);
    const alone = { fact: left.name, related: [], fixes: [], isAlone: true };
    if (isEmpty(left)) {
      const fixes = expression.kind === "binary" ? turned(expression.right) : [];
      return { ...alone, text: "its range ends before it begins", fixes };
    }
    if (range !== null && excludes(left, { ...left, ...range, above: false, below: false }))
      return { ...alone, text: range.because, fixes: meantShare(expression, left.least, names[left.name]?.type) };
    if (own.some(same)) return { ...alone, text: `its conditions on \`${left.name}\` exclude each other` };
    const other = before.find(same);
    if (other !== undefined) {
      const related = [{ message: "the other condition", span: other.expression.span }];
      const text = `no text also meets \`${textIn(other.expression)}\``;
      return { ...alone, text, related, isAlone: false };
    }
    own.push({ left, expression });
  }
  return null;
}

const leftBy = (parts: readonly Part[], names: FormulaNames): Left[] => parts.flatMap((part) => leftOf(part, names));

function leftOf({ tree, expression }: Part, names: FormulaNames): Left[] {
  if (typeof tree !== "object" || tree === null || !("op" in tree)) return [];
  const [fact = null, set = null] = tree.of;
  const ends =
    tree.op === "in" && typeof set === "object" && set !== null && "op" in set && set.op === ".." ? set.of : null;
  const compared = comparison(tree);
  const named = [fact, set].find((side) => typeof side === "object" && side !== null && "name" in side);
  if (typeof named !== "object" || named === null || !("name" in named)) return [];
  const { type } = names[named.name] ?? {};
  // A length is one of characters or one of tokens, and a tree holds numbers without their units.
  const isOne = type?.kind === "number" && type.dimensions.length === 1;
  const unit = isOne ? "" : unitIn(expression);
  const key = unit === null ? null : `${named.name} ${JSON.stringify(named.with ?? null)} ${unit}`;
  const spoken = { name: named.name, key };
  if (ends !== null) {
    const [least, most] = ends;
    return typeof least === "number" && typeof most === "number" ? [{ ...open, ...spoken, least, most }] : [];
  }
  return compared === null ? [] : [{ ...spoken, ...endsOf(compared) }];
}

/** The unit that is written in a comparison, or `null` where none is. */
function unitIn(expression: Expression | null): string | null {
  if (expression?.kind !== "binary") return null;
  const numbers = [expression.left, expression.right].flatMap((side) => (side.kind === "range" ? [side.to] : [side]));
  const written = numbers.flatMap((side) => (side.kind === "number" && side.unit !== null ? [side.unit] : []))[0];
  const unit = units.get(written?.numerator.join(" ") ?? "");
  return unit === undefined ? null : JSON.stringify(unit.dimension);
}

/** `1M..50 chars` the other way round. */
function turned({ span, kind }: Expression): ReturnType<typeof replacement>[] {
  const [, from, to, unit = ""] = /^(\S+?)\s*\.\.\s*([^\s%]+)(\s*\S+|%)?$/.exec(textIn({ span })) ?? [];
  return kind !== "range" || from === undefined || to === undefined
    ? []
    : [replacement(span, `${to}..${from}${unit}`)];
}
