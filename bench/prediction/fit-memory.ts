/** The constants of memory, how far off they are for models that the fit did not see, and how full a card may be. */
import { generic, type Constants } from "../../compiler/planner/physics/constants/index.ts";
import { fit, type Fitted } from "../../compiler/calibrate/fit.ts";
import { constantsFor, keyOf, type Calibration } from "./calibration.ts";
import type { Case } from "./cases.ts";
import { peakOf, refused } from "./estimates.ts";
import { enough, interval, many, typical } from "./levels.ts";
import { by, modelOf, sourceOf, weightsOf } from "./samples.ts";

/** Memory has layouts to tell apart as well. */
export const enoughWeighed = 12;

export const isWeighed = ({ memory, ran }: Case): boolean => memory !== undefined && ran !== false;

/** Exact bytes deserve a narrow fit: the second one counts what is far off, by the first one's scale, for little. */
export const fitMemory = (cases: readonly Case[], base: Constants): Constants => weighedBy(cases, base).constants;

function weighedBy(cases: readonly Case[], base: Constants): Fitted<Constants> {
  const run = (width: number): Fitted<Constants> =>
    fit(
      base,
      cases.length >= many ? ["slack", "runtime"] : ["runtime"],
      (constants) => cases.map((one) => peakOf(one, constants).logged),
      cases.map(({ memory = 0 }) => memory),
      weightsOf(cases),
      {},
      25,
      { width, pull: 0.0005 * width },
    );
  return run(Math.min(0.2, Math.max(0.01, 2 * typical(run(0.2).residuals))));
}

/**
 * What a program allocates does not depend on the machine. Each model is judged by a fit of the others, and of the sources
 * the one counts that is met worst: a thousand tests of toys say nothing of a model that somebody trains.
 */
export function memoryInterval(cases: readonly Case[], fitted: Calibration): number | undefined {
  const residuals = new Map<Case, number>();
  for (const rows of by(cases, keyOf).values()) {
    for (const fold of by(rows, modelOf).values()) {
      const held = new Set(fold);
      const others = rows.filter((one) => !held.has(one));
      for (const one of fold) {
        const constants = constantsFor(one, fitted);
        const own = others.length >= enoughWeighed ? weighedBy(others, constants).constants : constants;
        residuals.set(one, Math.log(peakOf(one, own).logged / (one.memory ?? 1)));
      }
    }
  }
  const worst = [...by(cases, sourceOf).values()]
    .filter((rows) => rows.length >= enough)
    .map((rows) => interval(rows.map((one) => residuals.get(one) ?? 0)));
  return worst.length === 0 ? undefined : Math.max(...worst);
}

/**
 * The share of a card that divides what ran from what did not, of those that do so as well the middle one; where too few failed, as full as
 * published runs get.
 */
export function usableOf(cases: readonly Case[], constants: Constants): number {
  const judged = cases
    .filter(({ ran }) => ran !== undefined)
    .map((one) => ({ ran: one.ran, share: peakOf(one, constants).fullest / one.machine.memory, empty: refused(one) }))
    .filter(({ empty }) => !empty);
  if (judged.filter(({ ran }) => ran === false).length < enough) return generic.usable;
  const candidates = Array.from({ length: 51 }, (_, i) => 0.6 + i / 100);
  const right = (limit: number): number => judged.filter(({ ran, share }) => ran === share <= limit).length;
  const mostRight = Math.max(...candidates.map(right));
  const best = candidates.filter((limit) => right(limit) === mostRight);
  return best[Math.floor((best.length - 1) / 2)] ?? generic.usable;
}
