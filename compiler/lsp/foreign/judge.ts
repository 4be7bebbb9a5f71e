import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Source } from "../../../dsl/source/source.ts";
import type { Beside } from "../../foreign/beside.ts";
import { checkForeign } from "../../foreign/check.ts";
import { looksLikeShell } from "../../foreign/documents/languages.ts";

/** What a document says of a launch, and the other files that it names. */
export interface Judged {
  readonly diagnostics: readonly Diagnostic[];
  readonly reads: readonly string[];
}

/** Codes of files that are no launch's: an editor opens many such. */
const silent: ReadonlySet<string> = new Set(["cdr/foreign-kind", "cdr/foreign-unreadable"]);

export function judged(source: Source, beside: Beside, gpu: string | null): Judged {
  const reads = new Set<string>();
  const remember: Beside = {
    ...beside,
    text: (path, from) => {
      const found = beside.text(path, from);
      if (found !== undefined) reads.add(found.path);
      return found;
    },
  };
  const { launch, kinds, diagnostics } = checkForeign([source], { world: null, gpusPerNode: null, gpu }, remember);
  const script = looksLikeShell(source);
  const isLaunch = script
    ? launch.runs.length > 0 || launch.scripts.some(({ directives }) => directives.size > 0)
    : kinds.some(({ path }) => path === source.path);
  return { diagnostics: isLaunch ? diagnostics.filter(({ code }) => !silent.has(code)) : [], reads: [...reads] };
}
