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
  for (const point of points.length <= most ? points : [...covering(points).values()].flat()) {
    const at = { ...options, overlays: [...options.overlays, ...overlays], trial: [], values: point.values };
    const { diagnostics } = compile(source, at);
    if (errorsIn(diagnostics) === 0) continue;
    const own = diagnostics.filter((each) => each.severity === "error" && !told.has(identity(each)));
    for (const each of own) told.add(identity(each));
    found.set(point, own);
  }
  return found;
}

/** At most so many of the points: of each variation some values, its ends first. */
export function someOf(points: readonly SweepPoint[], count: number): readonly SweepPoint[] {
  if (points.length <= count) return points;
  const turns = [...covering(points).values()].map((own) => [...own.slice(0, 1), ...own.slice(1).toReversed()]);
  const longest = Math.max(...turns.map((own) => own.length));
  return Array.from({ length: longest }, (_, turn) => turns.flatMap((own) => own[turn] ?? []))
    .flat()
    .slice(0, count);
}

/** So many of the points that each value of each variation is among them, by the variation whose value is new there. */
function covering(points: readonly SweepPoint[]): ReadonlyMap<string, readonly SweepPoint[]> {
  const seen = new Set<string>();
  const found = new Map<string, SweepPoint[]>();
  for (const point of points) {
    const fresh = point.sets.findIndex((set) => !seen.has(set));
    for (const set of point.sets) seen.add(set);
    if (fresh < 0) continue;
    const path = point.values[fresh]?.path ?? "";
    found.set(path, [...(found.get(path) ?? []), point]);
  }
  return found;
}

const identity = ({ code, span, message }: Diagnostic): string =>
  [code, span.source.path, span.start, span.end, message].join("\n");
