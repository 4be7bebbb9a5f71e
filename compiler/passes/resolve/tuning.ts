import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { ChoiceValue, Valued } from "../../../dsl/types/value.ts";
import { adapterTargets } from "../../kinds/adapters.ts";
import type { NarrowSpec, TuningSpec } from "../../pipeline.ts";
import { argument, choiceAt, given, numberOf, textOf, valued } from "./read.ts";

/** What a stage trains of its model, where it says that it is not all. */
export function tuningOf(block: Instance): TuningSpec | null {
  const adapters = adaptersOf(block);
  const freeze = freezeOf(block);
  return adapters === null && freeze === null ? null : { adapters, freeze };
}

function adaptersOf(block: Instance): TuningSpec["adapters"] {
  const choice = choiceAt(block, "adapters");
  const rank = choice === null ? null : numberOf(argument(choice, "rank"));
  // A plugin keeps its own counsel of what it adds.
  if (choice === null || rank === null) return null;
  const said = argument(choice, "targets");
  const items = said?.kind === "list" ? said.items.map((item) => textOf(item.value)) : [textOf(said)];
  const quantized = argument(choice, "quantized");
  return {
    rank,
    alpha: numberOf(argument(choice, "alpha")) ?? rank,
    dropout: numberOf(argument(choice, "dropout")) ?? 0,
    targets: items.filter((item): item is keyof typeof adapterTargets => item !== null && item in adapterTargets),
    quantized: quantized?.kind === "bool" && quantized.value,
    span: valued(block, "adapters").span,
  };
}

/** Each thing that a stage freezes, as it is said. */
export function freezesOf(block: Instance): readonly { readonly choice: ChoiceValue; readonly said: Valued }[] {
  const { value } = valued(block, "freeze");
  const items = value.kind === "list" ? value.items : [];
  return items.flatMap((said) => (said.value.kind === "choice" ? [{ choice: said.value, said }] : []));
}

function freezeOf(block: Instance): TuningSpec["freeze"] {
  const all = freezesOf(block).map(({ choice }) => choice);
  if (all.length === 0) return null;
  const shares = all.map((each) => numberOf(argument(each, "share")) ?? 0);
  return { lower: Math.max(...shares), tables: all.some(({ name }) => name === "embeddings") };
}

/** Options of `precision = fp8(…)` and `fp4(…)`. */
export function narrowOf(block: Instance): NarrowSpec | null {
  const choice = choiceAt(block, "precision");
  if (choice === null || (choice.name !== "fp8" && choice.name !== "fp4")) return null;
  const recipe = choice.arguments.get("recipe");
  const name = recipe === undefined ? null : textOf(recipe.value);
  const weights = argument(choice, "weights");
  return {
    recipe: recipe === undefined || name === null ? null : given(name, recipe),
    weights: weights?.kind === "bool" && weights.value,
  };
}
