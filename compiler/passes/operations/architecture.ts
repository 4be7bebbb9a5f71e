import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { replacement } from "../../../dsl/diagnostics/suggest.ts";
import type { Instance } from "../../../dsl/eval/instance.ts";
import { modelPattern } from "../../diagnostics/operations.ts";
import { numberAt, textAt, valued } from "../resolve/read.ts";

/** A model whose layers are counted, and listed one by one. */
export function architecture(blocks: readonly Instance[]): Diagnostic[] {
  return blocks.flatMap((model) => {
    if (model.kind.name !== "model") return [];
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
  });
}
