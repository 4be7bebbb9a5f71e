/** What a run starts from, and how the command line gets it. */
import type { Bundle } from "../../compiler/bundle/steps.ts";
import type { LaunchSpec } from "../../compiler/pipeline.ts";

export interface Compiled {
  /** As the user named it. */
  readonly file: string;
  /** The folder that sources and run directories are relative to, absolute. */
  readonly project: string;
  readonly bundle: Bundle;
  readonly launch: LaunchSpec;
}

export interface CompileChoices {
  readonly on: string | undefined;
  readonly target: "local" | "slurm" | undefined;
  readonly preset: string | undefined;
  readonly with: readonly string[];
  readonly set: readonly string[];
}

/** `null`: the file has errors, and they were shown. */
export type CompileForRun = (file: string, choices: CompileChoices) => Promise<Compiled | null>;
