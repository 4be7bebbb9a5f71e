/** Tables of refusals whose rows came and went with the releases of a package. */
import { below } from "../engines/release.ts";
import type { Package } from "./known/packages.ts";
import { refusedOf, type Defaults, type Refusal, type Refused } from "./refusals.ts";
import type { Settings } from "./settings.ts";

export interface ReleasedRefusal extends Refusal {
  /** The first release that says so. */
  readonly since?: string;
  /** The first that says so no more. */
  readonly until?: string;
}

export interface ReleasedRefused extends Refused {
  readonly severity?: "info";
}

/** Rows that the installed release refuses; where none is named, those of today, and the earlier ones as something to know. */
export function refusedIn(
  settings: Settings,
  table: readonly ReleasedRefusal[],
  { name, installed }: { readonly name: string; readonly installed: Package | undefined },
  asked: { readonly defaults?: Defaults; readonly open?: boolean },
): readonly ReleasedRefused[] {
  const version = installed?.version ?? null;
  const says = ({ since, until }: ReleasedRefusal): boolean =>
    version === null ||
    ((since === undefined || !below(version, since)) && (until === undefined || below(version, until)));
  return table.filter(says).flatMap((each) =>
    refusedOf(settings, [each], asked).map((found): ReleasedRefused => {
      // Whoever installs the newest release is not refused.
      return version === null && each.until !== undefined
        ? { ...found, severity: "info", message: `${found.message}, before ${name} ${each.until}` }
        : found;
    }),
  );
}
