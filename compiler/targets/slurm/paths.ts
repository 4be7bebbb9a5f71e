import type { Job } from "../job.ts";

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
