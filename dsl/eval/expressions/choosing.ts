import type { Details } from "../../diagnostics/diagnostic.ts";

/** What says elsewhere which of several things its settings are for. */
const choosing: ReadonlySet<string> = new Set(["type", "name", "kind", "class", "_target_", "class_path"]);

/** `optimizer { type = "adamw", lr = 1e-3 }`: how it is said here; `null` where it is another name. */
export const chosenByWord = (name: string, of: string, valid: readonly string[]): Details | null =>
  choosing.has(name)
    ? { valid, fix: `The word itself says which it is: \`${of}(…)\` takes only its settings.` }
    : null;
