/** What the editor shows of a file: all that `cdrc check` says. */
import type { Analyze } from "../../dsl/lsp/workspace.ts";
import { type Compilation, compile, type CompileOptions } from "../compile.ts";
import { nothingToRun } from "../diagnostics/run.ts";

export type Machine = Pick<CompileOptions, "environment" | "host" | "signatures">;

export function analyzer(machine: Machine): Analyze<Compilation> {
  return (source, read) => {
    const compiled = compile(source, {
      on: null,
      target: null,
      preset: null,
      overlays: [],
      overlayFiles: [],
      sets: [],
      read,
      ...machine,
    });
    // A file that others import is a file too: whether it can be run is asked by those that run it.
    return { ...compiled, diagnostics: compiled.diagnostics.filter(({ code }) => code !== nothingToRun.code) };
  };
}
