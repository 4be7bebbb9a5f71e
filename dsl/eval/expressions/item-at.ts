import { noMember, typeMismatch } from "../../diagnostics/catalog/values.ts";
import { replacement, suggest } from "../../diagnostics/suggest.ts";
import type { Index } from "../../syntax/ast.ts";
import { isDimensionless } from "../../types/units.ts";
import { show, unknown, type Value, type Valued } from "../../types/value.ts";
import type { Context } from "../context.ts";

/** `list[1]`, from the end where the number is negative; a field of a record stands behind a dot. */
export function itemAt({ object, index, span }: Index, of: Value, at: Value, { report }: Context): Value | Valued {
  const { source, start, end } = object.span;
  const written = source.text.slice(start, end).replace(/\s+/g, " ");
  const named = { name: `[${show(at)}]`, of: `\`${written}\`` };
  if (of.kind === "record" && at.kind === "string") {
    const names = [...of.fields.keys()];
    const fixes = of.fields.has(at.value) ? [replacement(span, `${written}.${at.value}`)] : [];
    const details = fixes.length > 0 ? { fixes, valid: names } : suggest(index.span, at.value, names);
    report(noMember(span, named, details));
    return unknown;
  }
  if (of.kind !== "list") {
    report(typeMismatch(object.span, { what: "the value before `[`", expected: "a list", found: show(of) }));
    return unknown;
  }
  if (at.kind !== "number" || !Number.isInteger(at.value) || !isDimensionless(at.dimension)) {
    report(typeMismatch(index.span, { what: "an index", expected: "a whole number", found: show(at) }));
    return unknown;
  }
  const item = of.items.at(at.value);
  if (item !== undefined) return item;
  const last = of.items.length - 1;
  const fix =
    last < 0
      ? "The list is empty."
      : `Write an index from 0 to ${last}, or from -1 to ${-last - 1} to count from the end.`;
  report(noMember(index.span, named, { fix }));
  return unknown;
}
