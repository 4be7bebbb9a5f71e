/** The GPU of a launch: the one that it names, or one on which it fits. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Compilation } from "../compile.ts";
import { memoryHost } from "../diagnostics/layout.ts";
import { isEstimate } from "./estimate.ts";
import { ownDevice, type Place } from "./place.ts";

/** GPUs to try, the most usual first, by the compute capability that is known. */
function usualGpus(architecture: number | null): readonly string[] {
  if (architecture === null) return ["h100", "h200", "b200"];
  if (architecture >= 10) return ["b200"];
  return architecture >= 9 ? ["h100", "h200"] : ["a100"];
}

export interface Needs {
  /** Whose memory is too small. */
  readonly of: "device" | "host";
  /** GiB that it would have to have. */
  readonly memory: number;
  /** Why those that it has are too few. */
  readonly told: Diagnostic;
}

/**
 * Made for the first GPU on which it fits. Where it fits on none by the estimate, which may not know what a program leaves out,
 * for one with the memory that it takes.
 */
export function onFittingDevice<Made extends { readonly needs: Needs | null; readonly text: string | null }>(
  place: Place,
  architecture: number | null,
  makeOn: (place: Place) => Made | null,
): (Made & { readonly estimate?: Diagnostic }) | null {
  const make = (at: Place): Made | null => {
    const made = makeOn(at);
    return made?.needs?.of === "host" ? makeOn({ ...at, ram: made.needs.memory }) : made;
  };
  if (place.gpu !== null) {
    const made = make(place);
    if (made === null || made.needs === null) return made;
    // It exists, and may well run: what only an estimate refuses would be no file that compiles to it.
    const larger = make({ ...place, least: made.needs.memory });
    return larger === null ? null : { ...larger, estimate: inText(made.needs.told, larger.text ?? "") };
  }
  let needs: Needs | null = null;
  for (const guess of usualGpus(architecture)) {
    const made = make({ ...place, guess });
    if (made === null || made.needs === null) return made;
    ({ needs } = made);
  }
  return make({ ...place, guess: "b200", ...(needs === null ? {} : { least: needs.memory }) });
}

/** At the device that the file has in place of the one that is too small. */
function inText(told: Diagnostic, text: string): Diagnostic {
  const start = text.indexOf(ownDevice);
  const { path } = told.span.source;
  return { ...told, related: [], fixes: [], span: { source: { path, text }, start, end: start + ownDevice.length } };
}

/** `null` where what is there will do. */
export function neededMemory({ plan, diagnostics }: Compilation): Needs | null {
  const [stage] = plan.stages;
  const told = diagnostics.find(isEstimate);
  if (stage === undefined || told === undefined) return null;
  const isHost = told.code === memoryHost.code;
  const { peak, host_peak } = stage.memory;
  const bytes = 1.25 * (isHost ? host_peak : peak);
  return { of: isHost ? "host" : "device", memory: Math.ceil(bytes / 2 ** 30 / 32) * 32, told };
}
