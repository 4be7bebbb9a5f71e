/** Files of other tools for `import`: beside those of `check`, which loads none of what writes a file. */
import { statSync } from "node:fs";
import { importLaunch, type Imported } from "../compiler/import/import.ts";
import { diskBeside, sourcesOf, strangeFlags, suppliedBy, type Flags } from "./foreign.ts";
import { checkFolder } from "./folder/check.ts";
import type { Misuse } from "./front.ts";

export function importFiles(paths: readonly string[], flags: Flags, launch: number | null): Imported | Misuse {
  const strange = strangeFlags(flags);
  if (strange !== null) return strange;
  const chosen = launchAt(paths, flags);
  if ("misuse" in chosen) return chosen;
  const sources = sourcesOf(chosen.paths);
  if ("misuse" in sources) return sources;
  const options = { supplied: suppliedBy(flags), launch };
  return importLaunch(
    sources.sources,
    options,
    diskBeside(() => undefined, "."),
  );
}

/** A folder stands for the one launch that lies in it. */
function launchAt(paths: readonly string[], flags: Flags): { readonly paths: readonly string[] } | Misuse {
  const found: string[] = [];
  for (const path of paths) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
      found.push(path);
      continue;
    }
    const { launches } = checkFolder(path, { ...flags, exclude: [], models: [] }, new Set(paths));
    const [only, ...others] = launches;
    if (only === undefined) return { misuse: `${path} holds no launch: name its files` };
    if (others.length > 0) return { misuse: severalText(path, launches) };
    found.push(...only.given);
  }
  return { paths: found };
}

function severalText(folder: string, launches: readonly { readonly given: readonly string[] }[]): string {
  const shown = launches.slice(0, 8).map(({ given }) => given[0]);
  const rest = launches.length > shown.length ? `, and ${launches.length - shown.length} more` : "";
  return `${folder} holds ${launches.length} launches, but only one can become a file: name one of ${shown.join(", ")}${rest}`;
}
