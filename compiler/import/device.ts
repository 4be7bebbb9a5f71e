/** The GPU of a launch that names none. */
import type { Compilation } from "../compile.ts";
import { memoryExceeded } from "../diagnostics/layout.ts";
import type { Place } from "./place.ts";

/** GPUs to try, the most usual first, by the compute capability that is known. */
function usualGpus(architecture: number | null): readonly string[] {
  if (architecture === null) return ["h100", "h200", "b200"];
  if (architecture >= 10) return ["b200"];
  return architecture >= 9 ? ["h100", "h200"] : ["a100"];
}

/**
 * Made for the first GPU on which it fits. Where it fits on none by the estimate, which may not know what a program leaves out,
 * for one with the memory that it takes.
 */
export function onFittingDevice<Made extends { readonly needs: number | null }>(
  place: Place,
  architecture: number | null,
  make: (place: Place) => Made | null,
): Made | null {
  if (place.gpu !== null) return make(place);
  let needs: number | null = null;
  for (const guess of usualGpus(architecture)) {
    const made = make({ ...place, guess });
    if (made === null || made.needs === null) return made;
    ({ needs } = made);
  }
  return make({ ...place, guess: "b200", ...(needs === null ? {} : { least: needs }) });
}

/** GiB that a device would have to have; `null` where what is there will do. */
export function neededMemory({ plan, diagnostics }: Compilation): number | null {
  const [stage] = plan.stages;
  if (stage === undefined || !diagnostics.some(({ code }) => code === memoryExceeded.code)) return null;
  return Math.ceil((stage.memory.peak * 1.25) / 2 ** 30 / 32) * 32;
}
