/** `1 << 10`: the shifts of C, which are written as powers of 2 here. */
import { foreignOperator } from "../diagnostics/catalog/syntax.ts";
import type { Diagnostic, Fix } from "../diagnostics/diagnostic.ts";
import { endOf, makeToken, repair, type Token } from "../lexer/token.ts";
import * as t from "../lexer/vocabulary.ts";
import type { Source, Span } from "../source/source.ts";
import { goesOnWith, pathFrom, textOf } from "./operands.ts";
import { startsLine } from "./token-lines.ts";

export function readShift(
  source: Source,
  tokens: readonly Token[],
  index: number,
  result: Token[],
  out: Diagnostic[],
): void {
  const start = tokens[index]?.startOffset ?? 0;
  const isLeft = tokens[index]?.tokenType === t.Less;
  const span: Span = { source, start, end: start + 2 };
  const found = isLeft ? "<<" : ">>";
  // `web >> train` on a line of its own is how Airflow orders steps.
  const begins = index - (pathFrom(tokens, index - 1, -1)?.length ?? 0);
  if (startsLine(tokens, begins)) {
    out.push(foreignOperator(span, { found, instead: "a step names what it waits for: `stage b after a { … }`" }));
  } else {
    const instead = isLeft ? "write `a * pow(2, b)`" : "write `floor(a / pow(2, b))`";
    out.push(foreignOperator(span, { found, instead }, { fixes: written(source, tokens, index, isLeft) }));
  }
  result.push(repair(makeToken(t.Star, found, start)));
}

const arithmetic = new Set([t.Plus, t.Minus, t.Star, t.Slash]);

/** Everything that computes binds closer than a shift does in C: beside it nobody knows what was meant. */
function written(source: Source, tokens: readonly Token[], index: number, isLeft: boolean): readonly Fix[] {
  const [left, right] = [pathFrom(tokens, index - 1, -1), pathFrom(tokens, index + 2, 1)];
  const [first, last] = [left?.[0], right?.at(-1)];
  if (left === null || right === null || first === undefined || last === undefined) return [];
  const before = index - left.length - 1;
  const [previous, next] = [tokens[before]?.tokenType, tokens[index + 2 + right.length]?.tokenType];
  if (goesOnWith(tokens, before) || previous === t.Plus || (next !== undefined && arithmetic.has(next))) return [];
  const newText = shifted(textOf(left), textOf(right), isLeft);
  if (newText === null) return [];
  const span: Span = { source, start: first.startOffset, end: endOf(last) };
  return [{ title: `write \`${newText}\``, edits: [{ span, newText }] }];
}

/** Of whole numbers what it comes to, with the unit behind the second. */
function shifted(left: string, right: string, isLeft: boolean): string | null {
  const [, bits = "", unit = ""] = /^(\d+)(?:[ \t]*(\D+))?$/.exec(right) ?? [];
  if (/^\d+$/.test(left) && bits !== "") {
    const value = Math.floor(Number(left) * 2 ** (isLeft ? Number(bits) : -Number(bits)));
    return Number.isSafeInteger(value) ? `${value}${unit === "" ? "" : ` ${unit}`}` : null;
  }
  if (!/^(?:\d+|[A-Za-z_][\w.]*)$/.test(left) || !/^(?:\d+|[A-Za-z_][\w.]*)$/.test(right)) return null;
  const power = `pow(2, ${right})`;
  if (!isLeft) return `floor(${left} / ${power})`;
  return left === "1" ? power : `${left} * ${power}`;
}
