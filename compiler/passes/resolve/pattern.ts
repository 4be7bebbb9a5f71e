/** What a model's `pattern` says of its layers: their letters, or rules that give as many as there are. */
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { ChoiceValue, Value } from "../../../dsl/types/value.ts";
import { type LayerKind, letters } from "../../kinds/model/pattern.ts";
import { type LayerRule, lettersOf } from "../../models/layered.ts";
import type { Given, Scalar } from "../../pipeline.ts";
import { argument, given, numberOf, valued } from "./read.ts";

/** `null` where nothing is said, or where a rule waits for the number of layers. */
export function patternOf(block: Instance, layers: Scalar | undefined): Given<string> | null {
  const said = valued(block, "pattern");
  if (said.value.kind === "string") return given(said.value.value, said);
  const rules = layerRulesOf(block);
  return rules === null || typeof layers !== "number" ? null : given(lettersOf(rules.value, layers), said);
}

/** `null` where no rule is written. */
export function layerRulesOf(block: Instance): Given<readonly LayerRule[]> | null {
  const said = valued(block, "pattern");
  const rules = choices(said.value).map((rule) => ({
    name: rule.name as LayerRule["name"],
    share: numberOf(argument(rule, "span")) ?? 1,
    amounts: amounts(rule),
  }));
  return rules.length === 0 ? null : given(rules, said);
}

const choices = (value: Value): readonly ChoiceValue[] =>
  value.kind === "choice"
    ? [value]
    : value.kind === "list"
      ? value.items.flatMap(({ value: item }) => (item.kind === "choice" ? [item] : []))
      : [];

function amounts(rule: ChoiceValue): LayerRule["amounts"] {
  const written = [...rule.arguments].filter(
    ([name, { value }]) => Object.hasOwn(letters, name) && value.kind === "number",
  );
  return written
    .sort(([, a], [, b]) => a.span.start - b.span.start)
    .map(([name, { value }]) => [letters[name as LayerKind], numberOf(value) ?? 0]);
}
