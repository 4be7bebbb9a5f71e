import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Source } from "../../../dsl/source/source.ts";
import type { Located } from "./located.ts";
import { hole, type Text } from "../shell/text.ts";
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
    // A variable that isn't known stands for a number.
    const known = { ...text, text: text.text.replaceAll(hole, "null".padEnd(hole.length)) };
    addJson(path, known, source, true);
  } else if (/\.ya?ml$/.test(path)) {
    const { documents, diagnostics: found } = readYaml(text);
    diagnostics.push(...found);
    addDocuments(path, source, documents, true);
  }
}
