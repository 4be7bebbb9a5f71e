import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { letters } from "../../kinds/model/pattern.ts";
import { modelPattern, modelShares, modelWindow } from "../../diagnostics/architecture.ts";
import { argument, numberAt, numberOf, textAt, valued } from "../resolve/read.ts";

/** A model whose layers are counted, and listed one by one; whose window is beyond its context. */
export function layersOf(model: Instance): Diagnostic[] {
  const wrong = shares(model);
  return [...(wrong.length > 0 ? wrong : listed(model)), ...idleWindow(model)];
}

/** A window that a file says itself: published ones are kept where a context is cut for a trial. */
function idleWindow(model: Instance): Diagnostic[] {
  const [window, context] = [numberAt(model, "window"), numberAt(model, "context")];
  const { span, origin } = valued(model, "window");
  const isOwn = origin.kind === "written" && !span.source.path.startsWith("std/");
  if (window === null || context === null || window <= context || !isOwn) return [];
  const related = [{ message: "the context", span: valued(model, "context").span }];
  return [modelWindow(span, { model: model.name ?? "", window, context }, { related })];
}

function listed(model: Instance): Diagnostic[] {
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
