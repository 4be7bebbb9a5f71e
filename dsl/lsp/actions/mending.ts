/** A fix of what a diagnostic of a document says, where it would mend it: tried on its text, of which nothing is kept. */
import type { Diagnostic, Fix } from "../../diagnostics/diagnostic.ts";
import type { View } from "../feature.ts";
import { mendingFixes } from "../mends.ts";
import type { Workspace } from "../workspace.ts";

export function mending(
  { path, module }: View,
  diagnostics: readonly Diagnostic[],
  workspace: Workspace,
): (mends: Diagnostic, fix: Fix) => readonly Fix[] {
  const before = { path, text: module.file.source.text, file: module.file, diagnostics };
  const read = (text: string) => {
    const trial = workspace.trial(new Map([[path, text]]));
    return { file: trial.module(path).file, diagnostics: trial.diagnostics(path) };
  };
  return (mends, fix) => mendingFixes(before, mends, fix, read);
}
