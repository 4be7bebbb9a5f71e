import { keptProperty } from "../../diagnostics/catalog/properties.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Property } from "../../kind.ts";
import { typeMismatch } from "../../diagnostics/catalog/values.ts";
import { conform } from "../../types/conform.ts";
import { unknown, type Valued } from "../../types/value.ts";
import { alwaysHasValue, insteadOfNone } from "../expressions/no-value.ts";

/** What was said of a property, as its type has it. `none` removes what can be absent; what has a default always has a value. */
export function fitted(
  said: Valued,
  property: Property,
  what: string,
  report: (diagnostic: Diagnostic) => void,
): Valued {
  if (property.required === true && said.value.kind === "list" && said.value.items.length === 0) {
    const slots = { what, expected: "a list of at least one", found: "an empty list" };
    report(typeMismatch(said.span, slots, { fix: `Write ${property.doc}.` }));
    return { ...said, value: unknown };
  }
  if (said.value.kind !== "none" || property.required === true) return conform(said, property.type, what, report);
  if (property.default === undefined || !alwaysHasValue(property)) return said;
  report(keptProperty(said.span, { what, instead: property.default }, { fixes: insteadOfNone(said.span, property) }));
  return { ...said, value: unknown };
}
