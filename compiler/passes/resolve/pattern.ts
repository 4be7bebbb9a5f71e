/** The letters of a model's layers from what its `pattern` says. */
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { ChoiceValue, Value } from "../../../dsl/types/value.ts";
import { type LayerKind, letters } from "../../kinds/model/pattern.ts";
import type { Given, Scalar } from "../../pipeline.ts";
import { argument, given, numberOf, valued } from "./read.ts";

/** `null` where nothing is said, or where a rule waits for the number of layers. */
export function patternOf(block: Instance, layers: Scalar | undefined): Given<string> | null {
  const said = valued(block, "pattern");
  if (said.value.kind === "string") return given(said.value.value, said);
  const rules = rulesOf(said.value);
  if (rules.length === 0 || typeof layers !== "number") return null;
  return given(lettersOf(rules, layers), said);
}

const rulesOf = (value: Value): readonly ChoiceValue[] =>
  value.kind === "choice"
    ? [value]
    : value.kind === "list"
      ? value.items.flatMap(({ value: item }) => (item.kind === "choice" ? [item] : []))
      : [];

function lettersOf(rules: readonly ChoiceValue[], layers: number): string {
  let text = "";
  for (const [index, rule] of rules.entries()) {
    const isLast = index === rules.length - 1;
    const until = isLast ? layers : text.length + Math.round(layers * (numberOf(argument(rule, "span")) ?? 1));
    text += (rule.name === "stack" ? stacked : interleaved)(rule, Math.max(0, Math.min(until, layers) - text.length));
  }
  return text;
}

/** Kinds and amounts in the order in which they were written. */
function amounts(rule: ChoiceValue): [letter: string, amount: number][] {
  const written = [...rule.arguments].filter(
    ([name, { value }]) => Object.hasOwn(letters, name) && value.kind === "number",
  );
  return written
    .sort(([, a], [, b]) => a.span.start - b.span.start)
    .map(([name, { value }]) => [letters[name as LayerKind], numberOf(value) ?? 0]);
}

function interleaved(rule: ChoiceValue, length: number): string {
  const group = amounts(rule)
    .map(([letter, amount]) => letter.repeat(amount))
    .join("");
  return group === "" ? "" : group.repeat(Math.ceil(length / group.length)).slice(0, length);
}

/** Each share rounded down; what is left over goes to the first kind, so that shares of the last are never exceeded. */
function stacked(rule: ChoiceValue, length: number): string {
  const [first, ...rest] = amounts(rule);
  if (first === undefined) return "";
  const others = rest.map(([letter, share]) => letter.repeat(Math.floor(length * share + 1e-9))).join("");
  return first[0].repeat(Math.max(0, length - others.length)) + others;
}
