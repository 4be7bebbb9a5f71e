/** What a run starts from, and how the command line gets it. */
import type { Bundle } from "../../compiler/bundle/steps.ts";
import type { LaunchSpec, StartedLaunch } from "../../compiler/pipeline.ts";

/** A step as the file says it, whether or not anything carries it out. */
export interface DeclaredStep {
  readonly name: string;
  /** The file that it is imported from; `null` where the compiled file or what is laid over it declares it. */
  readonly importedFrom: string | null;
  /** No other step reads from it or waits for it. A sweep is none: it runs only where it is named. */
  readonly isEnd: boolean;
}

export interface Compiled {
  /** As the user named it. */
  readonly file: string;
  /** The folder that sources and run directories are relative to, absolute. */
  readonly project: string;
  /** The options of the command line that decided what the file means, to be said again. */
  readonly flags: readonly string[];
  readonly bundle: Bundle;
  readonly declared: readonly DeclaredStep[];
  readonly launch: StartedLaunch;
}

export const isStarted = (launch: LaunchSpec): launch is StartedLaunch => launch.target.kind !== "kubernetes";

export interface CompileChoices {
  /** Steps that are to run; the one that the others lead to where none is named. */
  readonly names?: readonly string[];
  readonly on: string | undefined;
  readonly target: "local" | "slurm" | undefined;
  readonly preset: string | undefined;
  readonly with: readonly string[];
  readonly set: readonly string[];
  /** Whether what is wrong with the file is to be said as a document too. */
  readonly json?: boolean;
}

/** `null`: the file has errors or cannot be read; that was said, and the exit code is set. */
export type CompileForRun = (file: string, choices: CompileChoices) => Promise<Compiled | null>;
