/** Files of other tools for `import`: beside those of `check`, which loads none of what writes a file. */
import { importLaunch, type Imported } from "../compiler/import/import.ts";
import { diskBeside, sourcesOf, suppliedBy, type Flags } from "./foreign.ts";
import type { Misuse } from "./front.ts";

export function importFiles(paths: readonly string[], flags: Flags, launch: number | null): Imported | Misuse {
  const sources = sourcesOf(paths);
  if ("misuse" in sources) return sources;
  const options = { supplied: suppliedBy(flags), launch };
  return importLaunch(
    sources.sources,
    options,
    diskBeside(() => undefined),
  );
}
