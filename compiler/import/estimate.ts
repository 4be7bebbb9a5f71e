import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { memoryExceeded, memoryHost } from "../diagnostics/layout.ts";

/** That a launch does not fit is an estimate, and the launch exists: whoever imports it may have seen it run. */
export function isEstimate({ code }: Diagnostic): boolean {
  return code === memoryExceeded.code || code === memoryHost.code;
}

export function estimateAsWarning(diagnostic: Diagnostic): Diagnostic {
  return isEstimate(diagnostic) ? { ...diagnostic, severity: "warning" } : diagnostic;
}
