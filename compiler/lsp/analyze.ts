/** What the editor shows of a file: all that `cdrc check` says. */
import type { Analyze } from "../../dsl/lsp/workspace.ts";
import { judgeSweeps } from "../judge-sweeps.ts";
import { type Compilation, compile, type CompileOptions } from "../compile.ts";
import type { ReadSignatures } from "../plugins/signature.ts";

export type Machine = Pick<CompileOptions, "environment" | "host" | "signatures">;

export function analyzer(machine: Machine): Analyze<Compilation> {
  return (source, read, file) => {
    const options: CompileOptions = {
      on: null,
      target: null,
      preset: null,
      overlays: [],
      overlayFiles: [],
      sets: [],
      read,
      ...(file === undefined ? {} : { file }),
      ...machine,
      ...(machine.signatures === undefined ? {} : { signatures: remembered(machine.signatures, read) }),
    };
    const compiled = compile(source, options);
    const further = compiled.program.blocks.some(({ kind }) => kind.name === "sweep")
      ? { further: () => judgeSweeps(compiled, options) }
      : {};
    return { ...compiled, ...further };
  };
}

/** The sources that signatures come from, and may come from, are read too: who analyses knows what it came from by its reads. */
function remembered(signatures: ReadSignatures, read: (path: string) => string | undefined): ReadSignatures {
  return (requests) => {
    for (const { factory, roots } of requests) {
      const module = factory.slice(0, factory.indexOf(":")).replaceAll(".", "/");
      for (const root of roots) for (const end of [".py", "/__init__.py"]) read(`${root}/${module}${end}`);
    }
    const answers = signatures(requests);
    for (const answer of answers ?? []) if ("path" in answer) read(answer.path);
    return answers;
  };
}
