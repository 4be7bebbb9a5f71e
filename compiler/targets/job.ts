import type { StepRun } from "../bundle/steps.ts";
import type { StartedLaunch } from "../pipeline.ts";

/** One attempt at one step, as a target lowers it; all paths are absolute. */
export interface Job {
  readonly id: string;
  readonly step: StepRun;
  readonly launch: StartedLaunch;
  /** The run directory, the bundle inside it, the project that sources are relative to. */
  readonly directory: string;
  readonly bundle: string;
  readonly project: string;
  /** Of the first start; every restart by the target counts one more. */
  readonly attempt: number;
  /** `NAME=RUN_DIR@result|last|best|step-N`: run directories of earlier steps; the node agent resolves them when it starts. */
  readonly inputs: readonly { readonly name: string; readonly directory: string; readonly which: string }[];
}
