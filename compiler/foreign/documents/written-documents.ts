import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Source } from "../../../dsl/source/source.ts";
import type { Located } from "./located.ts";
import type { Text } from "../shell/text.ts";
import { readJson } from "./json.ts";
import { withUnknown } from "./unknown.ts";
import { readYaml } from "./yaml.ts";

/** Where what is read goes. */
export interface Reads {
  readonly addDocuments: (path: string, source: Source, roots: readonly Located[], spanless: boolean) => void;
  readonly addJson: (path: string, text: Text, source: Source, spanless: boolean) => void;
  readonly diagnostics: Diagnostic[];
}

/** What a script writes with a here-document is read as the file it becomes. */
export function addWritten(
  path: string,
  text: Text,
  source: Source,
  { addDocuments, addJson, diagnostics }: Reads,
): void {
  if (path.endsWith(".json") || /^\s*\{/.test(text.text)) {
    const filled = withUnknown(text, "json");
    // A variable may hold more than a value: lines of a section, or all of it.
    const isOpen =
      filled !== text &&
      readJson(filled)
        .diagnosticsFor(null)
        .some(({ severity }) => severity === "error");
    if (!isOpen) addJson(path, filled, source, true);
  } else if (/\.ya?ml$/.test(path)) {
    const filled = withUnknown(text, "yaml");
    const { documents, diagnostics: found } = readYaml(filled);
    if (filled !== text && found.length > 0) return;
    diagnostics.push(...found);
    addDocuments(path, source, documents, true);
  }
}
