/** Asks a job to save and stop, or ends it. */
import { join } from "node:path";
import type { Handle } from "../../target.ts";
import type { Poll } from "./poll.ts";
import type { Transport } from "./transport.ts";

export async function signalJob(
  transport: Transport,
  poll: Poll,
  handle: Handle,
  what: "save" | "kill",
  directory: string,
): Promise<void> {
  if (handle.target !== "slurm") return;
  const { job, cluster } = handle;
  const where = cluster === null ? [] : ["--clusters", cluster];
  // The job script reads this before it requeues: the wish of a user ends a run, that of Slurm does not.
  await transport.write(join(directory, "control", `no-requeue-${job}`), "", false);
  const state = (await poll([handle])).get(handle)?.state;
  if (what === "kill" || state === "queued" || state === "requeued") {
    await cancel(transport, [...where, job]);
    return;
  }
  await transport.write(join(directory, "control", "stop"), "", false);
  // To the script, which passes it on to the nodes. It may have ended by now, and the file is enough for the rest.
  await transport.run(["scancel", "--quiet", "--batch", "--signal=USR1", ...where, job]);
}

async function cancel(transport: Transport, words: readonly string[]): Promise<void> {
  const { code, stderr } = await transport.run(["scancel", ...words]);
  if (code !== 0 && !/invalid job id|already completing|already completed/i.test(stderr)) {
    throw new Error(`Slurm did not cancel the job: ${stderr.trim() || `scancel ended with ${code}`}`);
  }
}
