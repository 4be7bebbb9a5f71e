/** What is wrong with a file at the points of a sweep, before the first of them is run. */
import { type Diagnostic, errorsIn } from "../dsl/diagnostics/diagnostic.ts";
import type { Source } from "../dsl/source/source.ts";
import { compile, type CompileOptions } from "./compile.ts";
import type { Sweep, SweepPoint } from "./sweeps.ts";

/** Beyond these many, each value is tried once and not with all others. */
const most = 64;

/** The errors of each point that has any; an error that an earlier point has too is left out. */
export function pointErrors(
  { points, overlays }: Pick<Sweep, "points" | "overlays">,
  source: Source,
  options: CompileOptions,
): ReadonlyMap<SweepPoint, readonly Diagnostic[]> {
  const told = new Set<string>();
  const found = new Map<SweepPoint, readonly Diagnostic[]>();
  for (const point of points.length <= most ? points : covering(points)) {
    const at = { ...options, overlays: [...options.overlays, ...overlays], trial: [], values: point.values };
    const { diagnostics } = compile(source, at);
    if (errorsIn(diagnostics) === 0) continue;
    const own = diagnostics.filter((each) => each.severity === "error" && !told.has(identity(each)));
    for (const each of own) told.add(identity(each));
    found.set(point, own);
  }
  return found;
}

/** So many of the points that each value of each variation is among them. */
function covering(points: readonly SweepPoint[]): readonly SweepPoint[] {
  const seen = new Set<string>();
  return points.filter(({ sets }) => {
    const isNew = sets.some((set) => !seen.has(set));
    for (const set of sets) seen.add(set);
    return isNew;
  });
}

const identity = ({ code, span, message }: Diagnostic): string =>
  [code, span.source.path, span.start, span.end, message].join("\n");
