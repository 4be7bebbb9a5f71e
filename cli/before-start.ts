/** What a plan only mentions and a start may not pass over: nothing says which of several launches pays for it. */
import { launchChoice } from "../compiler/diagnostics/operations.ts";
import type { Diagnostic } from "../dsl/diagnostics/diagnostic.ts";

export const beforeStart = (told: readonly Diagnostic[]): readonly Diagnostic[] =>
  told.map((each) => (each.code === launchChoice.code ? { ...each, severity: "error" } : each));
