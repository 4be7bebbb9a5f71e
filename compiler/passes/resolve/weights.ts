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
  // A weight that was reported says nothing of the sum, and what is none of the sources may be one of them.
  if (data.strangeGroups.size > 0 || said.length === 0 || said.some(({ value }) => value.kind === "unknown")) return;
  const shares = amounts.filter((amount) => amount?.percent === true);
  if (shares.length > 0 && shares.length < amounts.length) return report(mixed(data, at));
  if (sum === 0) return report(noWeights(at.span, { name: at.name ?? "data" }));
  if (shares.length === 0 || Math.abs(sum - 1) <= 1e-6) return;
  const related = said.map(({ span }) => ({ message: "part of the sum", span }));
  const shown = showNumber({ kind: "number", value: sum, dimension: {}, percent: true });
  report(weights(at.span, { sum: shown }, { related }));
}

/** At the weight that is not like most of them, which its fix makes like them where no other could be meant. */
function mixed(data: Instance, at: Instance): Diagnostic {
  const { said, amounts } = weightsOf(data);
  const names = sourceBlocks(data).map(({ name }) => name ?? "source");
  const isShare = amounts.map((amount) => amount?.percent === true);
  const odd = isShare.filter((share) => share).length * 2 < isShare.length;
  const index = isShare.indexOf(odd);
  const { span, origin } = said[index] ?? { span: at.span, origin: null };
  const others = isShare.flatMap((share, other) =>
    share === odd && other !== index ? [{ message: "this one too", span: said[other]?.span ?? at.span }] : [],
  );
  const written = said.map(({ span: { source, start, end } }) => source.text.slice(start, end));
  const slots = { source: names[index] ?? "source", isShare: odd, isWritten: origin?.kind !== "default" };
  const shares = amounts.map((amount, each) => (isShare[each] === true ? (amount?.value ?? 0) : shareOf(amount)));
  const isWhole = Math.abs(shares.reduce((total, share) => total + share, 0) - 1) <= 1e-6;
  const isOwn = written.every((text) => /^[\d.]+%?$/.test(text));
  const edits = said.flatMap((each, other) =>
    isShare[other] === true ? [] : [{ span: each.span, newText: `${trimmed((shares[other] ?? 0) * 100)}%` }],
  );
  const title = `write ${edits.map(({ newText }) => `\`${newText}\``).join(", ")}`;
  const fixes = isWhole && isOwn ? [{ title, edits }] : [];
  return mixedWeights(at === data ? span : at.span, slots, { related: at === data ? others : [], fixes });
}

/** `40` and `0.4` both mean 40 % beside shares. */
const shareOf = (amount: NumberValue | null): number => {
  const value = amount?.value ?? 0;
  return value <= 1 ? value : value / 100;
};

const trimmed = (value: number): string => String(Number(value.toPrecision(12)));
