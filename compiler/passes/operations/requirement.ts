/** What a line of pip's demands of a package: PEP 440's clauses, and whether a version meets them. */
export interface Requirement {
  readonly name: string;
  readonly clauses: readonly Clause[];
}

export type Version = readonly number[];

interface Clause {
  readonly op: string;
  readonly version: Version;
  /** `==2.5.*`: all that begins with it. */
  readonly prefix: boolean;
}

export function requirementOf(written: string): Requirement | null {
  const [, name, rest = ""] = /^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?\s*([^;]*)/.exec(written) ?? [];
  if (name === undefined) return null;
  const clauses = [...rest.matchAll(/(===?|!=|>=|<=|<|>|~=)\s*v?(\d+(?:\.\d+)*)(\.\*)?/g)].map(
    ([, op = "", version = "", star]) => ({
      op: op === "===" ? "==" : op,
      version: version.split(".").map(Number),
      prefix: star !== undefined,
    }),
  );
  return { name: name.toLowerCase().replaceAll(/[._-]+/g, "-"), clauses };
}

export const meets = (version: Version, { clauses }: Pick<Requirement, "clauses">): boolean =>
  clauses.every((clause) => holds(version, clause));

/** Whether any version at all meets them: the least that does is 0, a limit, or what comes right behind one. */
export function canBeMet(clauses: Requirement["clauses"]): boolean {
  const limits = clauses.map(({ version }) => version);
  const behind = limits.map((limit) => [...limit, 0, 0, 0, 1]);
  return [[0], ...limits, ...behind].some((version) => meets(version, { clauses }));
}

function holds(version: Version, { op, version: limit, prefix }: Clause): boolean {
  const order = prefix ? compare(version.slice(0, limit.length), limit) : compare(version, limit);
  switch (op) {
    case "==":
      return order === 0;
    case "!=":
      return order !== 0;
    case ">=":
      return order >= 0;
    case "<=":
      return order <= 0;
    case "<":
      return order < 0;
    case ">":
      return order > 0;
    default:
      return order >= 0 && compare(version.slice(0, limit.length - 1), limit.slice(0, -1)) === 0;
  }
}

export function compare(a: Version, b: Version): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
