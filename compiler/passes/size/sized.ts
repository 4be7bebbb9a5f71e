/** A shape with the count that was asked for. */
import { sizeConflict, sizeUnreachable } from "../../diagnostics/size.ts";
import type { Draft, Family } from "../../models/family.ts";
import type { ModelRequest } from "../../pipeline.ts";
import { boundText, withFollowed } from "./bounds.ts";
import { complete } from "./complete.ts";
import { count } from "./count.ts";
import { searchWithExperts } from "./experts.ts";
import { lopsided } from "./lopsided.ts";
import { reasonsOf } from "./reasons.ts";
import { type Candidate, search } from "./search.ts";
import type { Solution } from "./solution.ts";
import { violations } from "./violations.ts";
import { whyMissed } from "./why-missed.ts";

type Wanted = NonNullable<ModelRequest["size"]>;

export function sized(family: Family, request: ModelRequest, pins: Draft, wanted: Wanted): Solution {
  const bounds = withFollowed(family, pins, request.bounds);
  const isOpposed = wanted.total !== undefined && wanted.target >= wanted.total;
  const { best, closest } = isOpposed
    ? { best: null, closest: null }
    : searchWithExperts(family, pins, bounds, wanted);
  return best === null
    ? unreachable(family, request, pins, wanted, bounds, closest)
    : {
        shape: best.shape,
        origins: reasonsOf(family, pins, bounds, wanted, best),
        diagnostics: lopsided(family, request, pins, best.shape),
      };
}

function unreachable(
  family: Family,
  request: ModelRequest,
  pins: Draft,
  wanted: Wanted,
  bounds: ModelRequest["bounds"],
  near: Candidate | null,
): Solution {
  const ends = wanted.total === undefined ? atBounds(family, pins, bounds, wanted) : null;
  const impossible = near === null ? contradicted(family, request, pins) : [];
  if (impossible.length > 0) return { shape: null, origins: {}, diagnostics: impossible };
  const closest = near === null || (ends !== null && isNearer(ends, near)) ? ends : near;
  const target = count(wanted.target);
  const within = `${Number((100 * wanted.within).toPrecision(3))} %`;
  const isDecided = pins.layers !== undefined && pins.d_model !== undefined && pins.d_ff !== undefined;
  if (isDecided && closest !== null && wanted.total === undefined) {
    const slots = { target, actual: count(closest.parameters), within };
    return { shape: null, origins: {}, diagnostics: [sizeConflict(wanted.span, slots)] };
  }
  const asked =
    wanted.total === undefined ? `${target} ${wanted.which}` : `${count(wanted.total)} total and ${target} active`;
  const slots = { asked, within, why: whyMissed(family, pins, bounds, wanted, closest) };
  const related = [
    ...["layers", "pattern", "d_model"].flatMap((name) => {
      const said = request.given.get(name);
      return said === undefined ? [] : [{ message: `${name} = ${said.value}`, span: said.span }];
    }),
    ...[...request.bounds].map(([name, bound]) => ({
      message: `${name} ${boundText(bound)}`,
      span: bound.spans[0] ?? request.span,
    })),
  ];
  return { shape: null, origins: {}, diagnostics: [sizeUnreachable(wanted.span, slots, { related })] };
}

/** What no shape of a width can have, whatever its depth: heads that do not divide it, or whose width is odd. */
function contradicted(family: Family, request: ModelRequest, pins: Draft) {
  const layers = pins.layers ?? pins.pattern?.length ?? 1;
  const whole = pins.d_model === undefined ? null : complete(family, { ...pins, layers }, request.bounds);
  if (whole === null) return [];
  return violations(family, request, whole.shape).filter(({ severity }) => severity === "error");
}

/** The shape at the ends of what depth and width may be, where none inside them comes near the count. */
function atBounds(family: Family, pins: Draft, bounds: ModelRequest["bounds"], wanted: Wanted): Candidate | null {
  const ends = ["min", "max"] as const;
  const of = (name: "layers" | "d_model", end: "min" | "max"): number | undefined =>
    pins[name] ?? bounds.get(name)?.[end] ?? undefined;
  const found = ends.flatMap((end) => {
    const [layers, d_model] = [of("layers", end), of("d_model", end)];
    if (layers === undefined && d_model === undefined) return [];
    const held = {
      ...pins,
      ...(layers === undefined ? {} : { layers }),
      ...(d_model === undefined ? {} : { d_model }),
    };
    const { best, closest } = search(family, held, bounds, wanted);
    return best ?? closest ?? [];
  });
  return found.sort((a, b) => Math.abs(a.error) - Math.abs(b.error))[0] ?? null;
}

function isNearer(one: Candidate, other: Candidate): boolean {
  return Math.abs(one.error) < Math.abs(other.error);
}
