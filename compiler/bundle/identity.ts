/** The id of a run: everything that decides its result, hashed. The same question finds the same run. */
import { createHash } from "node:crypto";
import type { Bundle, StepRun } from "./steps.ts";

export interface Question {
  readonly step: StepRun;
  /** Texts of the step's configuration and of the engine's files beside it. */
  readonly texts: readonly string[];
  /** Ids of the runs its inputs come from, in the order of `step.inputs`. */
  readonly inputs: readonly string[];
  /** What it reads from outside of the bundle: one line per file, or the version of what supplies the text. */
  readonly sources: readonly string[];
}

/** Eight hexadecimal digits. */
export function runId({ step, texts, inputs, sources }: Question): string {
  const fields = [step.program, step.nodes, step.processes, texts, step.inputs.map((i) => i.which), inputs, sources];
  return createHash("sha256").update(JSON.stringify(fields)).digest("hex").slice(0, 8);
}

/** The texts of a step's own files in a bundle. */
export function textsOf(bundle: Bundle, step: StepRun): string[] {
  const texts = new Map(bundle.files.map((file) => [file.path, file.text]));
  return [step.config, ...step.files.filter((path) => path !== step.config)].map((path) => {
    const text = texts.get(path);
    if (text === undefined) throw new Error(`step "${step.name}" names ${path}, which its bundle does not contain`);
    return text;
  });
}
