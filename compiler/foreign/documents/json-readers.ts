/** What is wrong with the JSON of a launch for whoever reads it there. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Source } from "../../../dsl/source/source.ts";
import type { Document, Launch } from "../launch.ts";
import { launchesOf } from "../launches.ts";
import { fills } from "../trainer/fills.ts";
import type { Reader, ReadJson } from "./json.ts";

/** A text that was read as JSON, under the name that its document has. */
export interface Reading {
  readonly path: string;
  readonly source: Source;
  readonly read: ReadJson;
  /** Who reads it, where no document tells. */
  readonly reader?: Reader;
}

export function jsonDiagnostics(readings: readonly Reading[], launch: Launch): readonly Diagnostic[] {
  return readings.flatMap(({ path, source, read, reader }) => {
    if (read.diagnosticsFor(null).length === 0) return [];
    if (reader !== undefined) return read.diagnosticsFor(reader);
    const document = launch.documents.find((each) => each.source === source && each.path === path);
    return read.diagnosticsFor(document === undefined ? null : readerOf(document, launch));
  });
}

/** DeepSpeed reads its own file, unless the Trainer or accelerate read it first and hand over what they have. */
function readerOf(document: Document, launch: Launch): Reader | null {
  if (document.kind !== "deepspeed") return "json";
  const own = launchesOf(launch).filter(({ documents }) => documents.includes(document));
  const [first, ...others] = (own.length > 0 ? own : [launch]).map(fills);
  if (first === null || first === undefined || others.some((each) => each !== first)) return null;
  return first ? "json" : "hjson";
}
