/** Every place of the workspace that speaks of one declaration. */
import { type View, viewOfPath } from "./feature.ts";
import { declarationKey, type Meaning, type Occurrence } from "./meaning/meaning.ts";
import type { Workspace } from "./workspace.ts";

export interface Use {
  readonly view: View;
  readonly occurrence: Occurrence;
}

export function usesOf(meaning: Meaning, from: View, workspace: Workspace): readonly Use[] {
  const key = declarationKey(meaning);
  const same =
    key === null ? (other: Meaning) => isSameWord(meaning, other) : (other: Meaning) => declarationKey(other) === key;
  // What is declared inside a declaration is spoken of from other files too: `mix.web.weight`, `f(width = 2)`.
  const paths = new Set(key === null ? [from.path] : [homeOf(meaning) ?? from.path, from.path, ...workspace.paths()]);
  return [...paths].flatMap((path) => {
    const view = path === from.path ? from : viewOfPath(workspace, path);
    if (view === null) return [];
    return view.occurrences
      .filter((occurrence) => same(occurrence.meaning))
      .map((occurrence) => ({ view, occurrence }));
  });
}

const homeOf = (meaning: Meaning): string | null =>
  meaning.kind === "symbol"
    ? meaning.symbol.module.path
    : "declaration" in meaning
      ? (meaning.declaration?.source.path ?? null)
      : null;

/** Words of the language have no declaration: the same word with the same meaning. */
function isSameWord(a: Meaning, b: Meaning): boolean {
  if (a.kind !== b.kind) return false;
  if (a.kind === "block_kind" || a.kind === "group") return "block" in b && a.block === b.block;
  if (a.kind === "property" && b.kind === "property") return a.of === b.of && a.name === b.name;
  if (a.kind === "enum_member" && b.kind === "enum_member") return a.type.name === b.type.name && a.name === b.name;
  if (a.kind === "parameter" && b.kind === "parameter") return a.of === b.of && a.name === b.name;
  if (a.kind === "auto" || a.kind === "nested" || a.kind === "local" || a.kind === "symbol") return false;
  return "name" in a && "name" in b && a.name === b.name;
}
