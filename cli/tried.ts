/** Diagnostics with those of their fixes that mend: what a reader is offered was tried. */
import { compile } from "../compiler/compile.ts";
import type { Diagnostic } from "../dsl/diagnostics/diagnostic.ts";
import { mendingFixes, nameMeant } from "../dsl/lsp/mends.ts";
import type { FileCompilation } from "./front.ts";

/** Each trial is one more reading of the file: beyond these many, the advice in words has to do. */
const most = 64;

/** `said`: what is told of the file; all that is wrong with it, where nothing else is named. */
export function withTriedFixes(
  { program, diagnostics, options }: Pick<FileCompilation, "program" | "diagnostics" | "options">,
  said: readonly Diagnostic[] = diagnostics,
): readonly Diagnostic[] {
  const { file } = program.root;
  const { path, text } = file.source;
  const before = { path, text, file, diagnostics };
  const read = (changed: string) => {
    const again = compile({ path, text: changed }, options);
    return { file: again.program.root.file, diagnostics: again.diagnostics };
  };
  let tried = 0;
  return said.map((diagnostic) => {
    if (diagnostic.fixes.length === 0) return diagnostic;
    const fixes = diagnostic.fixes.flatMap((fix) =>
      ++tried <= most ? mendingFixes(before, diagnostic, fix, read) : [],
    );
    const name = fixes.length > 0 ? null : nameMeant(diagnostic);
    const fix = name === null ? diagnostic.fix : `Perhaps \`${name}\` is meant. ${diagnostic.fix}`;
    return { ...diagnostic, fixes, fix };
  });
}
