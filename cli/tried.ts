/** Diagnostics with those of their fixes that mend: what a reader is offered was tried. */
import { type Compilation, compile, type CompileOptions } from "../compiler/compile.ts";
import type { Diagnostic } from "../dsl/diagnostics/diagnostic.ts";
import { isMended } from "../dsl/lsp/mends.ts";

/** Each trial is one more reading of the file: beyond these many, the advice in words has to do. */
const most = 64;

export function withTriedFixes(compiled: Compilation, options: CompileOptions): readonly Diagnostic[] {
  const { file } = compiled.program.root;
  const { path, text } = file.source;
  const { diagnostics } = compiled;
  const before = { path, text, file, diagnostics };
  const read = (changed: string) => {
    const again = compile({ path, text: changed }, options);
    return { file: again.program.root.file, diagnostics: again.diagnostics };
  };
  let tried = 0;
  return diagnostics.map((diagnostic) =>
    diagnostic.fixes.length === 0
      ? diagnostic
      : {
          ...diagnostic,
          fixes: diagnostic.fixes.filter((fix) => ++tried <= most && isMended(before, diagnostic, fix, read)),
        },
  );
}
