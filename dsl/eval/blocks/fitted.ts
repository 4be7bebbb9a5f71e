import { keptProperty } from "../../diagnostics/catalog/properties.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Property } from "../../kind.ts";
import { typeMismatch } from "../../diagnostics/catalog/values.ts";
import { conform } from "../../types/conform.ts";
import { alternatives } from "../../types/type.ts";
import { unknown, type Valued } from "../../types/value.ts";
import { alwaysHasValue, insteadOfNone } from "../expressions/no-value.ts";

/** What was said of a property, as its type has it. `none` removes what can be absent; what has a default always has a value. */
export function fitted(
  said: Valued,
  property: Property,
  what: string,
  report: (diagnostic: Diagnostic) => void,
): Valued {
  if (said.value.kind === "list" && said.value.items.length === 0 && isFilled(property)) {
    const slots = { what, expected: "a list with at least one item", found: "an empty list" };
    report(typeMismatch(said.span, slots, { fix: `Write ${property.doc}.` }));
    return { ...said, value: unknown };
  }
  if (said.value.kind !== "none" || property.required === true) return conform(said, property.type, what, report);
  if (property.default === undefined || !alwaysHasValue(property)) return said;
  const instead = property.default;
  const from = givenBy(said);
  report(
    from === null
      ? keptProperty(said.span, { what, instead }, { fixes: insteadOfNone(said.span, property) })
      : keptProperty(said.span, { what, instead, from }, { fix: `Write a value, or give one to \`${from}\`.` }),
  );
  return { ...said, value: unknown };
}

const isFilled = ({ required, type }: Property): boolean =>
  required === true || alternatives(type).some((each) => each.kind === "list" && each.filled === true);

/** `tokenizer = base.tokenizer`: what is read of another block, and says nothing there. */
function givenBy({ span: { source, start, end } }: Valued): string | null {
  const written = source.text.slice(start, end);
  return /^\w+(?:\.\w+)+$/.test(written) ? written : null;
}
