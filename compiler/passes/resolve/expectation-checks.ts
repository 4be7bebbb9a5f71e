/** Expectations that no run can meet, and those that every run meets. */
import type { Diagnostic, Fix } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import { expectationsIn } from "../../../dsl/eval/formulas/expectation.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Type } from "../../../dsl/kind.ts";
import type { Expect, Expression } from "../../../dsl/syntax/ast.ts";
import { type FormulaTree, number, show, showNumber } from "../../../dsl/types/value.ts";
import { expectCertain, expectImpossible } from "../../diagnostics/course.ts";
import { type Comparison, comparison } from "./comparison.ts";
import { endsOf, excludes } from "./ends.ts";
import { textIn } from "./expectations.ts";
import { argument, choiceAt, expertsOf, numberOf } from "./read.ts";

type Report = (diagnostic: Diagnostic) => void;

export function checkWatched(block: Instance, model: Instance | null, report: Report): void {
  const before: Said[] = [];
  for (const { node, condition } of expectationsIn(block)) {
    const text = textIn(node.condition);
    const parts = conjuncts(condition).flatMap((part) => comparison(part) ?? []);
    for (const compared of parts) {
      const range = watchedRange(compared.name, block, model);
      const fixes = meantShare(node.condition, compared.value, block.kind.watches?.[compared.name]?.type);
      const slots = { condition: text, why: range?.because ?? "" };
      const other = before.find((said) => isAgainst(said.compared, compared));
      if (range !== null && isImpossible(compared, range)) report(expectImpossible(node.span, slots, { fixes }));
      else if (range !== null && isCertain(compared, range)) report(expectCertain(node.span, slots, { fixes }));
      else if (other !== undefined) {
        const isOwn = other.node === node;
        const why = isOwn
          ? `its conditions on \`${compared.name}\` exclude each other`
          : `\`expect ${textIn(other.node.condition)}\` must hold too`;
        const related = isOwn ? [] : [{ message: "the other expectation", span: other.node.span }];
        report(expectImpossible(node.span, { condition: text, why }, { related }));
        break;
      }
      before.push({ node, compared });
    }
  }
}

interface Said {
  readonly node: Expect;
  readonly compared: Comparison;
}

/** All of what must hold at once. */
const conjuncts = (tree: FormulaTree): readonly FormulaTree[] =>
  typeof tree === "object" && tree !== null && "op" in tree && tree.op === "and"
    ? tree.of.flatMap(conjuncts)
    : [tree];

/** What names no point is asked at each. */
const isAgainst = (a: Comparison, b: Comparison): boolean =>
  a.name === b.name && (a.at === null || b.at === null || a.at === b.at) && excludes(endsOf(a), endsOf(b));

const watchedRange = (name: string, block: Instance, model: Instance | null): Range | null =>
  name === "entropy"
    ? entropyOf(model)
    : name === "lr"
      ? rateOf(block)
      : name.endsWith("loss") && isCrossEntropy(block)
        ? { least: 0, most: Infinity, because: "a cross-entropy is at least 0" }
        : rangeOf(block.kind.watches?.[name]?.type);

/** Whether nothing is said of what the loss is made of: other terms may be negative. */
const isCrossEntropy = ({ kind, values }: Instance): boolean =>
  Object.hasOwn(kind.properties, "loss") && !values.has("loss") && !values.has("objective");

/** What ends exactly where the range does says on purpose that everything will do, and a limit above what is written guards against a variant. */
const isCertain = ({ op, value }: Comparison, { least, most, isReached = false }: Range): boolean =>
  !isReached && (op === "<=" || op === "<" ? value > most : op !== "==" && value < least);

/** `20` of a share, where `20%` is one. */
export function meantShare(condition: Expression, value: number, type: Type | undefined): readonly Fix[] {
  if (condition.kind !== "binary" || type?.kind !== "number" || type.percent === undefined) return [];
  const side = [condition.left, condition.right].find((each) => each.kind === "number" && each.unit === null);
  if (side === undefined || value <= 1 || value > 100) return [];
  const end = { ...side.span, start: side.span.end };
  return [replacement(end, "%", `write \`${textIn(side)}%\``)];
}

function isImpossible({ op, value, at }: Comparison, { least, most, isReached = false }: Range): boolean {
  if (isReached && at === null && op.startsWith("<") && value < most) return true;
  const tooMuch = op === ">=" || op === "==" ? value > most : op === ">" && value >= most;
  const tooLittle = op === "<=" || op === "==" ? value < least : op === "<" && value <= least;
  return tooMuch || tooLittle;
}

export interface Range {
  readonly least: number;
  readonly most: number;
  readonly because: string;
  /** The most of it is reached in each run, so that no less is a limit. */
  readonly isReached?: boolean;
}

/** A schedule begins at, or warms up to, the rate of the optimizer and never exceeds it; one of a file's own may. */
function rateOf(block: Instance): Range | null {
  const [schedule, optimizer] = [choiceAt(block, "schedule"), choiceAt(block, "optimizer")];
  const peak = optimizer === null ? null : numberOf(argument(optimizer, "lr"));
  const isOwn = schedule?.declared !== undefined || schedule?.name === "range_test";
  if (peak === null || isOwn) return null;
  return { least: 0, most: peak, because: `the schedule peaks at \`lr = ${show(number(peak))}\``, isReached: true };
}

/** A spread over n experts has at most log2(n) bits. */
function entropyOf(model: Instance | null): Range | null {
  const experts = model === null ? null : expertsOf(model);
  if (experts === null || experts === 0) return null;
  const bits = Math.log2(experts);
  return {
    least: 0,
    most: bits / 8,
    because: `the entropy over ${experts} experts is at most ${Number(bits.toFixed(3))} bits`,
  };
}

export function rangeOf(type: Type | undefined): Range | null {
  if (type?.kind !== "number") return null;
  const { min, max, percent } = type;
  if (min === undefined && max === undefined) return null;
  const shown = (bound: number) => showNumber(number(bound, type.dimensions[0], percent !== undefined));
  const words = [
    ...(min === undefined ? [] : [`at least ${shown(min)}`]),
    ...(max === undefined ? [] : [`at most ${shown(max)}`]),
  ];
  return { least: min ?? -Infinity, most: max ?? Infinity, because: `it is ${words.join(" and ")}` };
}
