import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Source } from "../../../dsl/source/source.ts";
import { sizeProblems } from "../../kinds/model-derived.ts";
import { letters } from "../../kinds/model/pattern.ts";
import { modelPattern, modelShares } from "../../diagnostics/operations.ts";
import { argument, blockAt, numberAt, numberOf, textAt, valued } from "../resolve/read.ts";

/** Models against themselves: those that no stage trains are sized too, since nobody else would look at them. */
export function architecture(blocks: readonly Instance[], root: Source): Diagnostic[] {
  const trained = new Set(
    blocks.flatMap((block) => (block.kind.name === "stage" ? (blockAt(block, "model") ?? []) : [])),
  );
  const alone = blocks.filter((b) => b.kind.name === "model" && b.span.source.path === root.path && !trained.has(b));
  return [...alone.flatMap(sizeProblems), ...blocks.flatMap(layersOf)];
}

/** A model whose layers are counted, and listed one by one. */
function layersOf(model: Instance): Diagnostic[] {
  if (model.kind.name !== "model") return [];
  const wrong = shares(model);
  if (wrong.length > 0) return wrong;
  const [layers, pattern] = [numberAt(model, "layers"), textAt(model, "pattern")];
  if (layers === null || pattern === null || pattern.length === layers) return [];
  const at = valued(model, "layers");
  const kinds = new Map<string, number>();
  for (const letter of pattern) kinds.set(letter, (kinds.get(letter) ?? 0) + 1);
  const slots = {
    layers,
    listed: pattern.length,
    kinds: [...kinds].map(([letter, count]) => `${count} ${letter}`).join(", "),
  };
  const related = [{ message: "the layers one by one", span: valued(model, "pattern").span }];
  const fixes = at.origin.kind === "written" ? [replacement(at.span, String(pattern.length))] : [];
  return [modelPattern(at.span, slots, { related, fixes, valid: [String(pattern.length)] })];
}

/** `stack(…)` whose shares are not all of the layers. */
function shares(model: Instance): Diagnostic[] {
  const { value, span } = valued(model, "pattern");
  const rules = value.kind === "list" ? value.items : [{ value, span }];
  return rules.flatMap(({ value: rule, span: at }) => {
    if (rule.kind !== "choice" || rule.name !== "stack") return [];
    const sum = Object.keys(letters).reduce((all, kind) => all + (numberOf(argument(rule, kind)) ?? 0), 0);
    return Math.abs(sum - 1) < 1e-9 ? [] : [modelShares(at, { sum: Number((100 * sum).toPrecision(6)) })];
  });
}
