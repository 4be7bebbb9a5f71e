/** Values as a file gives them. */
import type { Origin } from "../../dsl/eval/origin.ts";
import type { Span } from "../../dsl/source/source.ts";

/** A value, where it was said (for diagnostics) and where it came from. */
export interface Given<T> {
  readonly value: T;
  readonly span: Span;
  readonly origin: Origin;
}

export type Scalar = number | string | boolean;

/** What `<=`, `>=` and `in` left of a property: they accumulate. */
export interface Bound {
  readonly min: number | null;
  readonly max: number | null;
  readonly oneOf: readonly Scalar[] | null;
  readonly spans: readonly Span[];
}

/** Values and bounds of a block by the names of `contracts.md`; nested blocks with a dot (`moe.experts`). */
export interface Settings {
  readonly given: ReadonlyMap<string, Given<Scalar>>;
  readonly bounds: ReadonlyMap<string, Bound>;
}
