import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Source } from "../../../dsl/source/source.ts";
import { readJson } from "./json.ts";
import type { Located } from "./located.ts";
import { hole, type Text } from "../shell/text.ts";
import { readYaml } from "./yaml.ts";

export type AddDocuments = (path: string, source: Source, roots: readonly Located[], spanless: boolean) => void;

/** What a script writes with a here-document is read as the file it becomes. */
export function addWritten(
  path: string,
  text: Text,
  source: Source,
  add: AddDocuments,
  diagnostics: Diagnostic[],
): void {
  if (path.endsWith(".json") || /^\s*\{/.test(text.text)) {
    // A variable that isn't known stands for a number.
    const known = { ...text, text: text.text.replaceAll(hole, "null".padEnd(hole.length)) };
    const { root, diagnostics: found } = readJson(known);
    diagnostics.push(...found);
    if (root !== undefined) add(path, source, [root], true);
  } else if (/\.ya?ml$/.test(path)) {
    const { documents, diagnostics: found } = readYaml(text);
    diagnostics.push(...found);
    add(path, source, documents, true);
  }
}
