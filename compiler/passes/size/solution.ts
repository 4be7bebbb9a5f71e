import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Origin } from "../../../dsl/eval/origin.ts";
import type { Shape } from "../../models/family.ts";

/** A shape with where its values come from, or why there is none. */
export interface Solution {
  readonly shape: Shape | null;
  readonly origins: Readonly<Record<string, Origin>>;
  readonly diagnostics: readonly Diagnostic[];
}
