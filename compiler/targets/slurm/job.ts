/** What lowering needs of one attempt at one step; a `RunSpec` of the runtime is one. All paths are absolute. */
import type { StepRun } from "../../bundle/steps.ts";
import type { LaunchSpec } from "../../pipeline.ts";

export interface Job {
  readonly id: string;
  readonly step: StepRun;
  readonly launch: LaunchSpec;
  readonly directory: string;
  readonly bundle: string;
  readonly project: string;
  /** Of the first start; every restart of the job counts one more. */
  readonly attempt: number;
  readonly inputs: readonly { readonly name: string; readonly directory: string; readonly which: string }[];
}

/** The files of one attempt that are Slurm's own, in the run directory. */
export interface JobPaths {
  readonly folder: string;
  readonly script: string;
  readonly node: string;
  /** Of the batch script and of the launchers on all nodes, over all restarts. */
  readonly log: string;
}

export function pathsOf({ directory, attempt }: Pick<Job, "directory" | "attempt">): JobPaths {
  const folder = `${directory}/slurm`;
  const stem = `${folder}/a${attempt}`;
  return { folder, script: `${stem}.sbatch`, node: `${stem}-node.sh`, log: `${stem}.log` };
}
