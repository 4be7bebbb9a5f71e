/** Version specifiers of pip, as far as they choose among releases that are known: PEP 440, without epochs, pre-releases and local versions. */
import { below } from "../../engines/release.ts";

type Clause = (release: string) => boolean;

/** The newest of some releases that `>=0.14,<0.16` admits; `null` where it admits none, or is no specifier. */
export function newestAdmitted(specifier: string, releases: readonly string[]): string | null {
  const clauses = specifier.split(",").map((each) => clauseOf(each.trim()));
  const admitted = releases.filter((release) => clauses.every((admits) => admits?.(release) === true));
  return admitted.reduce<string | null>((best, each) => (best === null || below(best, each) ? each : best), null);
}

/** A release and those of its series before it. */
export function withEarlier(last: string): readonly string[] {
  const [, series = "", patch = "0"] = /^(.*)\.(\d+)$/.exec(last) ?? [];
  return Array.from({ length: Number(patch) + 1 }, (_, at) => `${series}.${at}`);
}

function clauseOf(text: string): Clause | null {
  const [, operator = "", version = "", star] = /^([<>]=?|[!=~]=|===)\s*v?(\d+(?:\.\d+)*)(\.\*)?$/.exec(text) ?? [];
  const begins = (prefix: string): Clause => {
    const parts = prefix.split(".");
    return (release) => parts.every((part, at) => Number(part) === Number(release.split(".")[at] ?? 0));
  };
  const same: Clause = (release) => !below(release, version) && !below(version, release);
  switch (operator) {
    case "<":
      return (release) => below(release, version);
    case "<=":
      return (release) => !below(version, release);
    case ">":
      return (release) => below(version, release);
    case ">=":
      return (release) => !below(release, version);
    case "==":
    case "===":
      return star === undefined ? same : begins(version);
    case "!=": {
      const other = star === undefined ? same : begins(version);
      return (release) => !other(release);
    }
    case "~=": {
      // `~=0.15.0` is `>=0.15.0, ==0.15.*`.
      const series = begins(version.split(".").slice(0, -1).join("."));
      return version.includes(".") ? (release) => !below(release, version) && series(release) : null;
    }
    default:
      return null;
  }
}
