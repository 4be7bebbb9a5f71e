/** Conditions of `keep` that no text meets: beyond what a fact can be, or two that exclude each other. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { FormulaNames } from "../../../dsl/kind.ts";
import type { Expression } from "../../../dsl/syntax/ast.ts";
import type { FormulaTree } from "../../../dsl/types/value.ts";
import { keepNothing } from "../../diagnostics/data.ts";
import { facts } from "../../kinds/data/cleaning.ts";
import { comparison } from "./comparison.ts";
import { rangeOf } from "./expectation-checks.ts";
import { textIn } from "./expectations.ts";
import { valued } from "./read.ts";

/** What a condition leaves of a fact; `key` is of those that are counted in one unit. */
interface Left {
  readonly name: string;
  readonly key: string | null;
  readonly least: number;
  readonly most: number;
  /** Whether an end is left out. */
  readonly above: boolean;
  readonly below: boolean;
}

export function checkKeep(data: Instance, report: (diagnostic: Diagnostic) => void): void {
  const { value } = valued(data, "keep");
  if (value.kind !== "list") return;
  const names = facts(data);
  const before: { readonly left: Left; readonly expression: Expression }[] = [];
  for (const { value: item, span } of value.items) {
    if (item.kind !== "formula" || item.tree === null) continue;
    const { expression, tree } = item;
    for (const left of leftBy(tree, names)) {
      const range = rangeOf(names[left.name]?.type);
      const other = before.find(
        (said) => said.left.key === left.key && left.key !== null && excludes(said.left, left),
      );
      const condition = textIn(expression);
      if (isEmpty(left)) {
        const fixes = expression.kind === "binary" ? turned(expression.right) : [];
        report(keepNothing(span, { condition, why: "its range ends before it begins" }, { fixes }));
      } else if (range !== null && excludes(left, { ...left, ...range, above: false, below: false })) {
        report(keepNothing(span, { condition, why: range.because }));
      } else if (other !== undefined) {
        const related = [{ message: "the other condition", span: other.expression.span }];
        const why = `\`${textIn(other.expression)}\` stands beside it, and no text meets both`;
        report(keepNothing(span, { condition, why }, { related }));
      } else {
        before.push({ left, expression });
        continue;
      }
      break;
    }
  }
}

function leftBy(tree: FormulaTree, names: FormulaNames): Left[] {
  if (typeof tree !== "object" || tree === null || !("op" in tree)) return [];
  if (tree.op === "and") return tree.of.flatMap((part) => leftBy(part, names));
  const [fact = null, set = null] = tree.of;
  const ends =
    tree.op === "in" && typeof set === "object" && set !== null && "op" in set && set.op === ".." ? set.of : null;
  const compared = comparison(tree);
  const named = [fact, set].find((side) => typeof side === "object" && side !== null && "name" in side);
  if (typeof named !== "object" || named === null || !("name" in named)) return [];
  const { type } = names[named.name] ?? {};
  // A length is one of characters or one of tokens, and a tree holds numbers without their units.
  const isOne = type?.kind === "number" && type.dimensions.length === 1;
  const key = isOne ? `${named.name} ${JSON.stringify(named.with ?? null)}` : null;
  const open = { name: named.name, key, least: -Infinity, most: Infinity, above: false, below: false };
  if (ends !== null) {
    const [least, most] = ends;
    return typeof least === "number" && typeof most === "number" ? [{ ...open, least, most }] : [];
  }
  if (compared === null) return [];
  const { op, value } = compared;
  switch (op) {
    case "==":
      return [{ ...open, least: value, most: value }];
    case ">":
    case ">=":
      return [{ ...open, least: value, above: op === ">" }];
    default:
      return [{ ...open, most: value, below: op === "<" }];
  }
}

const isEmpty = ({ least, most, above, below }: Left): boolean =>
  least > most || (least === most && (above || below));

const excludes = (a: Left, b: Left): boolean =>
  isEmpty({
    ...a,
    least: Math.max(a.least, b.least),
    most: Math.min(a.most, b.most),
    above: (a.above && a.least >= b.least) || (b.above && b.least >= a.least),
    below: (a.below && a.most <= b.most) || (b.below && b.most <= a.most),
  });

/** `1M..50 chars` the other way round. */
function turned({ span, kind }: Expression): ReturnType<typeof replacement>[] {
  const [, from, to, unit = ""] = /^(\S+?)\s*\.\.\s*([^\s%]+)(\s*\S+|%)?$/.exec(textIn({ span })) ?? [];
  return kind !== "range" || from === undefined || to === undefined
    ? []
    : [replacement(span, `${to}..${from}${unit}`)];
}
