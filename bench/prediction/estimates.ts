/** What the planner says of a case with given constants. */
import type { Constants } from "../../compiler/planner/physics/constants/index.ts";
import { memoryOf } from "../../compiler/planner/physics/memory.ts";
import { emptyStage } from "../../compiler/planner/physics/stages.ts";
import { timeOf } from "../../compiler/planner/physics/time.ts";
import type { Case } from "./cases.ts";

export function stepOf(one: Case, constants: Constants, isStarved = isShort(one, constants)): number {
  const { shape, layout, batch, engine, machine } = one;
  return timeOf(shape, layout, batch, engine, machine, constants, isStarved).step;
}

/** Runs that are said not to fit and yet go on wait for their allocator. */
export const isShort = (one: Case, constants: Constants): boolean =>
  peakOf(one, constants).fullest > constants.usable * one.machine.memory;

/** The peak of the rank that the engine's logger speaks for, and what the fullest rank cannot do without. */
export function peakOf(one: Case, constants: Constants): { logged: number; fullest: number } {
  const room = constants.usable * one.machine.memory;
  const ranks = memoryOf(one.shape, one.layout, one.batch, one.engine, constants);
  const fullest = Math.max(...ranks.map(({ needed }) => needed));
  // What can be taken back is logged as far as there was room.
  const peaks = ranks.map(({ peak, needed }) => Math.max(needed, Math.min(peak, room)));
  const logged = one.logger === "first" ? peaks[0] : one.logger === "last" ? peaks.at(-1) : Math.max(...peaks);
  return { logged: logged ?? fullest, fullest };
}

/** Layouts that the engine does not start: a stage without layers has no gradients. */
export function refused({ shape, layout, batch, engine }: Case): boolean {
  return (engine.fills === true && batch.count < layout.pipeline - 1) || emptyStage(shape, layout, engine);
}
