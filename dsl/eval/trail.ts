/** Names under evaluation, outermost first. */
import { valueCycle } from "../diagnostics/catalog/names.ts";
import { valueLimit } from "../diagnostics/catalog/values.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Symbol } from "../symbols/symbol.ts";
import type { Span } from "../source/source.ts";
import { unknown, type Valued } from "../types/value.ts";
import { type Instance, pathOf } from "./blocks/instance.ts";

export type Trail = Asked[];

/** What is asked for: a declaration, or a property of a block; two files may call theirs the same. */
export type Asked =
  { readonly of: Symbol; readonly property: null } | { readonly of: Instance; readonly property: string };

const nameOf = (asked: Asked): string =>
  asked.property === null ? asked.of.name.text : `${pathOf(asked.of)}.${asked.property}`;

/** More than anybody reads; each takes its part of the stack, which has room for about 700. */
export const longestWay = 300;

/** What a name is that cannot be asked for, since it is under evaluation or too far behind the first one; `null` where it can. */
export function offTrail(
  trail: Trail,
  asked: Asked,
  declared: Span,
  at: Span,
  report: (diagnostic: Diagnostic) => void,
): Valued | null {
  const first = trail.findIndex(({ of, property }) => of === asked.of && property === asked.property);
  if (first >= 0) report(valueCycle(declared, { chain: [...trail.slice(first), asked].map(nameOf).join(" -> ") }));
  else if (trail.length >= longestWay) {
    const slots = {
      what: `the chain from \`${nameOf(trail[0] ?? asked)}\` to its value`,
      most: `${longestWay} names`,
    };
    report(valueLimit(declared, slots, { fix: "Give one of the names in between its value directly." }));
  } else return null;
  return { value: unknown, span: at, origin: { kind: "default", by: "cycle" } };
}
