/** Expectations that no run can meet. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { expectationsIn } from "../../../dsl/eval/formulas/expectation.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Type } from "../../../dsl/kind.ts";
import { number, showNumber, type FormulaTree } from "../../../dsl/types/value.ts";
import { expectImpossible } from "../../diagnostics/stage.ts";
import { comparison } from "./comparison.ts";
import { textIn } from "./expectations.ts";
import { group, numberAt } from "./read.ts";

type Report = (diagnostic: Diagnostic) => void;

export function checkWatched(block: Instance, model: Instance | null, report: Report): void {
  for (const { node, condition } of expectationsIn(block)) {
    const why = impossible(condition, block, model);
    if (why !== null) report(expectImpossible(node.span, { condition: textIn(node.condition), why }));
  }
}

function impossible(tree: FormulaTree, block: Instance, model: Instance | null): string | null {
  const compared = comparison(tree);
  if (compared === null) return null;
  const { name, op, value } = compared;
  const range = name === "entropy" ? entropyOf(model) : rangeOf(block.kind.watches?.[name]?.type);
  if (range === null) return null;
  const { least, most, because } = range;
  const tooMuch = op === ">=" || op === "==" ? value > most : op === ">" && value >= most;
  const tooLittle = op === "<=" || op === "==" ? value < least : op === "<" && value <= least;
  return tooMuch || tooLittle ? because : null;
}

export interface Range {
  readonly least: number;
  readonly most: number;
  readonly because: string;
}

/** A spread over n experts has at most log2(n) bits. */
function entropyOf(model: Instance | null): Range | null {
  const moe = model === null ? null : group(model, "moe");
  const experts = moe === null ? null : numberAt(moe, "experts");
  if (experts === null) return null;
  const bits = Math.log2(experts);
  return {
    least: 0,
    most: bits / 8,
    because: `a spread over ${experts} experts has at most ${Number(bits.toFixed(3))} bits`,
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
