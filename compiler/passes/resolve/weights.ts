/** How much of a mixture each source is: all shares of it, or all parts. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { isPresent } from "../../../dsl/eval/declarations/lookup.ts";
import { type NumberValue, showNumber, type Valued } from "../../../dsl/types/value.ts";
import { noWeights } from "../../diagnostics/data.ts";
import { mixedWeights, weights } from "../../diagnostics/pipeline.ts";
import { valued } from "./read.ts";

export interface Weights {
  readonly said: readonly Valued[];
  readonly amounts: readonly (NumberValue | null)[];
  readonly sum: number;
}

export const sourceBlocks = (data: Instance): Instance[] =>
  [...data.blocks.values()].filter((child) => child.kind.name === "source" && isPresent(child));

export function weightsOf(data: Instance): Weights {
  const said = sourceBlocks(data).map((source) => valued(source, "weight"));
  const amounts = said.map(({ value }) => (value.kind === "number" ? value : null));
  return { said, amounts, sum: amounts.reduce((total, amount) => total + (amount?.value ?? 0), 0) };
}

/** `at`: what says these weights, where it is not the block itself. */
export function checkWeights(data: Instance, report: (diagnostic: Diagnostic) => void, at: Instance = data): void {
  const { said, amounts, sum } = weightsOf(data);
  // A weight that was reported says nothing of the sum.
  if (said.length === 0 || said.some(({ value }) => value.kind === "unknown")) return;
  const shares = amounts.filter((amount) => amount?.percent === true);
  if (shares.length > 0 && shares.length < amounts.length) return report(mixedWeights(at.span, {}));
  if (sum === 0) return report(noWeights(at.span, { name: at.name ?? "data" }));
  if (shares.length === 0 || Math.abs(sum - 1) <= 1e-6) return;
  const related = said.map(({ span }) => ({ message: "part of the sum", span }));
  const shown = showNumber({ kind: "number", value: sum, dimension: {}, percent: true });
  report(weights(at.span, { sum: shown }, { related }));
}
