/** Which steps a command is about. An import brings names, never effects: what it brings runs where it is named, or read. */
import { nearest } from "../../dsl/diagnostics/nearest.ts";
import type { Compiled } from "./compiled.ts";
import { refusal, type Refusal } from "./refusal.ts";
import type { ResolvedRun } from "./resolve.ts";
import { statusOf } from "./status.ts";

type Named = Pick<Compiled, "file" | "declared">;

/** The named steps, else the one that the file's own steps end in. */
export function wantedSteps({ file, declared }: Named, names: readonly string[]): readonly string[] | Refusal {
  const known = declared.map((step) => step.name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const meant = nearest(unknown, known);
    return refusal(
      `${file} has no step "${unknown}"; it has ${known.join(", ")}`,
      meant === null ? null : `did you mean ${meant}?`,
    );
  }
  if (names.length > 0) return names;
  const ends = declared.filter((step) => step.importedFrom === null && step.isEnd).map((step) => step.name);
  if (ends.length === 1) return ends;
  return ends.length === 0
    ? refusal(
        `${file} declares no step that runs without being named; it has ${known.join(", ")}`,
        `name a step: cdrc run ${file} NAME`,
      )
    : refusal(
        `${file} ends in ${ends.length} steps: ${ends.join(", ")}`,
        `name the steps to run; the steps that they read from run too: cdrc run ${file} ${ends.join(" ")}`,
      );
}

/** Stages of other files whose weights are read and are not there. Only who names such a stage trains it. */
export async function missingCheckpoint(
  { file, declared }: Named,
  runs: readonly ResolvedRun[],
  names: readonly string[],
): Promise<Refusal | null> {
  const from = new Map(declared.map(({ name, importedFrom }) => [name, importedFrom]));
  for (const { spec } of runs) {
    const { name, kind } = spec.step;
    const path = from.get(name) ?? null;
    if (kind !== "stage" || path === null || names.includes(name)) continue;
    const status = await statusOf(spec.directory);
    if ("kind" in status && status.kind !== "open") continue;
    const reader = runs.find((run) => run.spec.step.inputs.some((input) => input.step === name));
    return refusal(
      `"${reader?.spec.step.name ?? ""}" reads a checkpoint of "${name}", which ${path} declares, but ${spec.directory} has none`,
      `an imported stage trains only where it is named: cdrc run ${file} ${name}`,
    );
  }
  return null;
}
