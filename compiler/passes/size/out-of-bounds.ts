import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Origin } from "../../../dsl/eval/origin.ts";
import { sizeBounds } from "../../diagnostics/size.ts";
import type { Shape } from "../../models/family.ts";
import { valueAt } from "../../models/shape.ts";
import type { ModelRequest, Scalar } from "../../pipeline.ts";
import { admits, boundText } from "./bounds.ts";
import { isKnown } from "./properties.ts";

/** What was decided or written and is outside what its bounds admit. */
export function outOfBounds(
  request: ModelRequest,
  shape: Shape,
  origins: Readonly<Record<string, Origin>>,
): Diagnostic[] {
  return [...request.bounds].flatMap(([property, bound]) => {
    if (!isKnown(property)) return [];
    const value = valueAt(shape, property) as Scalar | undefined;
    if (value === undefined || admits(bound, value)) return [];
    const span = request.given.get(property)?.span ?? bound.spans[0] ?? request.span;
    const origin = origins[property]?.kind ?? "default";
    return [
      sizeBounds(
        span,
        { property, value: String(value), bound: boundText(bound), origin },
        { related: bound.spans.map((at) => ({ message: "the bound is given here", span: at })) },
      ),
    ];
  });
}
