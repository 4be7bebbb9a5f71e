/** What releases of packages take of other packages. */
import releases from "./release-demands.json" with { type: "json" };
import { canBeMet, compare, type Requirement, requirementOf, type Version } from "./requirement.ts";

/** Of a release and of those after it, up to the next row's; `takes` is `null` where they take any. */
interface Row {
  readonly since: string;
  readonly version: Version;
  readonly takes: Requirement | null;
}

/**
 * The metadata of the wheels for Linux that PyPI lists, read on 2026-11-22. `transformers` takes `accelerate` for
 * training only: its extra `torch`.
 */
const rows = (name: string): readonly Row[] =>
  (new Map(Object.entries(releases)).get(name) ?? []).map(([since = "", takes = ""]) => ({
    since,
    version: since.split(".").map(Number),
    takes: requirementOf(takes),
  }));

/** What a package of one version takes of another, as pip writes it; `null` where nobody knows, and where any would do. */
export function demandOf({
  name,
  clauses,
}: Requirement): { readonly takes: Requirement; readonly written: string } | null {
  const [only, ...others] = clauses;
  if (only === undefined || others.length > 0 || only.op !== "==" || only.prefix) return null;
  const row = rows(name).findLast(({ version }) => compare(version, only.version) <= 0);
  return row?.takes == null ? null : { takes: row.takes, written: spelled(row.takes) };
}

/** Releases of a package that another's version goes with: `vllm>=0.11.1,<0.14.0`. */
export function releasesFor(name: string, other: Requirement): readonly string[] {
  const all = rows(name);
  const goes = all.map(({ takes }) => takes?.name === other.name && canBeMet([...takes.clauses, ...other.clauses]));
  return all.flatMap(({ since }, from) => {
    if (goes[from] !== true || goes[from - 1] === true) return [];
    const end = all.find((_, index) => index > from && goes[index] !== true);
    return [`${name}>=${since}${end === undefined ? "" : `,<${end.since}`}`];
  });
}

const spelled = ({ name, clauses }: Requirement): string =>
  name + clauses.map(({ op, version, prefix }) => `${op}${version.join(".")}${prefix ? ".*" : ""}`).join(",");
