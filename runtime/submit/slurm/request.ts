/** A run as what will be sent to Slurm, to the letter. */
import { secretsOf } from "../../../compiler/targets/slurm/directives.ts";
import { lowerSlurm } from "../../../compiler/targets/slurm/lower.ts";
import type { Handle, Request, RunSpec } from "../../target.ts";

export function slurmRequest(run: RunSpec): Request {
  const { target } = run.launch;
  if (target.kind !== "slurm") throw new Error(`launch ${run.launch.name} is not for Slurm`);
  const { files, words } = lowerSlurm(run, target);
  return {
    target: "slurm",
    files,
    command: ["sbatch", "--parsable", ...dependency(run.after), ...words],
    cwd: run.project,
    env: {},
    secrets: secretsOf(run),
  };
}

/** Without `--kill-on-invalid-dep` a job whose predecessor failed waits for ever. */
function dependency(after: readonly Handle[]): string[] {
  const jobs = after.flatMap((handle) => (handle.target === "slurm" ? [handle.job] : []));
  return jobs.length === 0 ? [] : [`--dependency=afterok:${jobs.join(":")}`, "--kill-on-invalid-dep=yes"];
}
