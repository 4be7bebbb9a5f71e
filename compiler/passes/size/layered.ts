/** A `pattern` that is a rule: the sizer draws its letters with the number of layers, in place of the family's. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Family } from "../../models/family.ts";
import { lettersOf } from "../../models/layered.ts";
import type { ModelRequest } from "../../pipeline.ts";
import { inexpressible } from "./expressible.ts";
import { unknownLetters } from "./violations.ts";

export function layered(family: Family, { layerRules }: ModelRequest): Family {
  if (layerRules === undefined || family.defaults["pattern"] === undefined) return family;
  const { value: rules } = layerRules;
  const pattern = {
    value: ({ layers }: { readonly layers?: number }) => (layers === undefined ? null : lettersOf(rules, layers)),
    rule: "the pattern that is written, over the layers",
    inputs: ["layers" as const],
    source: "the file",
  };
  return { ...family, defaults: { ...family.defaults, pattern } };
}

/** What the family has no layers for, whatever their number. */
export function unruled(family: Family, { layerRules, ...request }: ModelRequest): readonly Diagnostic[] {
  if (layerRules === undefined) return [];
  const { span, value: rules } = layerRules;
  const kinds = rules.flatMap(({ amounts }) => amounts.flatMap(([letter, amount]) => (amount > 0 ? [letter] : [])));
  const pattern = [...new Set(kinds)].join("");
  return family.defaults["pattern"] === undefined
    ? inexpressible(family, { ...request, given: new Map([["pattern", { ...layerRules, value: pattern }]]) })
    : unknownLetters(family, pattern, span);
}
