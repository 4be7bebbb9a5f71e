/** What comes of holding a value against a type. */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Value } from "./value.ts";

export interface Problem {
  readonly problem: () => Diagnostic;
  /** Of a list: what is wrong with its other items. */
  readonly others?: () => readonly Diagnostic[];
  /** How near it was: a better problem wins. */
  readonly rank: number;
}

export type Fit = { readonly value: Value } | Problem;
