/** Whether texts still mean what they meant when one name in them is another: what a rename asks before it answers. */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { declarationKey, type Occurrence } from "./meaning/meaning.ts";
import { occurrencesOf } from "./meaning/occurrences.ts";
import type { Use } from "./uses.ts";
import type { Workspace } from "./workspace.ts";

/** A place of the name, and what is written there instead. */
export interface Renamed extends Use {
  readonly text: string;
}

/** What would be wrong, in a sentence; `null` where nothing is. */
export function harmOf(uses: readonly Renamed[], newName: string, workspace: Workspace): string | null {
  const views = new Map(uses.map(({ view }) => [view.path, view]));
  const placesIn = (path: string) =>
    uses.filter(({ view }) => view.path === path).map(({ occurrence, text }) => ({ ...occurrence.span, text }));
  const texts = new Map(
    [...views.keys()].map((path) => {
      const places = placesIn(path).toSorted((a, b) => b.start - a.start);
      const before = workspace.text(path) ?? "";
      const after = places.reduce(
        (whole, { start, end, text }) => whole.slice(0, start) + text + whole.slice(end),
        before,
      );
      return [path, after];
    }),
  );
  const moved = (key: string | null): string | null => {
    if (key === null) return null;
    const at = key.lastIndexOf("#");
    const [path, offset] = [key.slice(0, at), Number(key.slice(at + 1))];
    const before = placesIn(path).filter(({ start }) => start < offset);
    return `${path}#${before.reduce((sum, { start, end, text }) => sum + text.length - (end - start), offset)}`;
  };
  const trial = workspace.trial(texts);
  for (const [path, view] of views) {
    const now = occurrencesOf(trial.module(path), workspace.registry);
    const other = view.occurrences.find((was, index) => !isSame(was, now[index], moved));
    const found = newIn(trial.diagnostics(path), workspace.diagnostics(path) ?? []);
    const file = path.split("/").at(-1) ?? path;
    if (found !== undefined) return `\`${newName}\` would break ${file}: ${found.message}`;
    if (other !== undefined || now.length !== view.occurrences.length)
      return `after renaming to \`${newName}\`, \`${other?.text ?? newName}\` in ${file} would mean something else`;
  }
  return null;
}

function isSame(was: Occurrence, now: Occurrence | undefined, moved: (key: string | null) => string | null): boolean {
  return (
    now !== undefined &&
    was.meaning.kind === now.meaning.kind &&
    moved(declarationKey(was.meaning)) === declarationKey(now.meaning)
  );
}

/** The first diagnostic of a code that is said more often than before. */
function newIn(now: readonly Diagnostic[], before: readonly Diagnostic[]): Diagnostic | undefined {
  const times = (all: readonly Diagnostic[], code: string): number => all.filter((d) => d.code === code).length;
  return now.find(({ code }) => times(now, code) > times(before, code));
}
