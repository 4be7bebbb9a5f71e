/** A launch on each way through the branches of its script that nobody can decide. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Span } from "../../dsl/source/source.ts";
import { foreignShellSyntax } from "../diagnostics/foreign.ts";
import type { Choices } from "./shell/choices.ts";

/** Branches beyond these stay open: each way costs a check. */
const most = 12;

interface Judged {
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * What is judged with all branches open, and what is found on every way besides: on none of the branches, on the first of each, and
 * on each one alone.
 */
export function onEveryWay<Checked extends Judged>(
  check: (choices: Choices) => Checked,
): { readonly checked: Checked; readonly common: readonly Diagnostic[] } {
  const differing = new Map<string, number>();
  const checked = check({
    take: () => null,
    differ: (at, ways) => {
      if (costOf(differing) + ways - 1 <= most) differing.set(keyOf(at), ways);
    },
  });
  const alone = [...differing].flatMap(([key, ways]) =>
    Array.from({ length: ways - 1 }, (_, way) => new Map([[key, way]])),
  );
  const first = new Map([...differing.keys()].map((key) => [key, 0]));
  // A script that is not read to its end is read once.
  const isCut = checked.diagnostics.some(({ code }) => code === foreignShellSyntax.code);
  const chosen =
    isCut || differing.size === 0
      ? []
      : [new Map<string, number>(), ...(differing.size > 1 ? [first] : []), ...alone];
  let common: readonly Diagnostic[] | null = null;
  for (const ways of chosen) {
    if (common?.length === 0) break;
    const { diagnostics } = check({
      take: (at, count) => (differing.has(keyOf(at)) ? (ways.get(keyOf(at)) ?? count - 1) : null),
      differ: () => undefined,
    });
    const found = new Set(diagnostics.map(identity));
    common = (common ?? diagnostics).filter((each) => found.has(identity(each)));
  }
  // What is open is said of the launch with all its branches.
  return { checked, common: (common ?? []).filter(({ severity }) => severity !== "info") };
}

const costOf = (ways: ReadonlyMap<string, number>): number =>
  [...ways.values()].reduce((sum, count) => sum + count - 1, 0);

const keyOf = ({ source, start, end }: Span): string => `${source.path} ${start} ${end}`;

/** The same finding at the same place. */
export const identity = ({ code, severity, message, span }: Diagnostic): string =>
  `${code} ${severity} ${message} ${keyOf(span)}`;
