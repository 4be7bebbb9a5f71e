/** Whether a fix would mend what a diagnostic of a document says: tried on its text, of which nothing is kept. */
import type { Diagnostic, Fix } from "../../diagnostics/diagnostic.ts";
import type { View } from "../feature.ts";
import { isMended } from "../mends.ts";
import type { Workspace } from "../workspace.ts";

export function mending(
  { path, module }: View,
  diagnostics: readonly Diagnostic[],
  workspace: Workspace,
): (mends: Diagnostic, fix: Fix) => boolean {
  const before = { path, text: module.file.source.text, file: module.file, diagnostics };
  const read = (text: string) => {
    const trial = workspace.trial(new Map([[path, text]]));
    return { file: trial.module(path).file, diagnostics: trial.diagnostics(path) };
  };
  return (mends, fix) => isMended(before, mends, fix, read);
}
