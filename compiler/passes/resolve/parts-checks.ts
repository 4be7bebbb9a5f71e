import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { type ChoiceValue, show } from "../../../dsl/types/value.ts";
import { partsAlike } from "../../diagnostics/rows.ts";

/** Parts of a row that a model learns to tell apart, or to make of one another. */
export function checkParts(format: ChoiceValue, report: (diagnostic: Diagnostic) => void): void {
  const parts = [...format.arguments].filter(([, { value }]) => value.kind === "formula");
  for (const [index, [name, part]] of parts.entries()) {
    const other = parts.slice(0, index).find(([, earlier]) => show(earlier.value) === show(part.value));
    if (other === undefined) continue;
    const slots = { format: format.name, name, other: other[0] };
    report(
      partsAlike(part.span, slots, { related: [{ message: `the same as \`${other[0]}\``, span: other[1].span }] }),
    );
  }
}
