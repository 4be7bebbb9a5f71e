/** Looks at all jobs with one call of squeue, and with one of sacct for those that squeue no longer knows. */
import type { Handle, Observation } from "../../target.ts";
import { isDisabled, parseSacct, sacctWords } from "./sacct.ts";
import { parseSqueue, squeueWords } from "./squeue.ts";
import { observe, type JobReport } from "./states.ts";
import type { Answer, Transport } from "./transport.ts";

type SlurmHandle = Extract<Handle, { target: "slurm" }>;
export type Poll = (handles: readonly Handle[]) => Promise<ReadonlyMap<Handle, Observation>>;

/** Milliseconds before Slurm is asked again when it did not answer: doubled each time, up to the second. */
const pause = { first: 5_000, longest: 120_000 } as const;

export function pollerOf(transport: Transport, now: () => number = Date.now): Poll {
  let accounting = true;
  let silence = { until: 0, pause: 0, why: "" };

  async function ask(jobs: readonly string[], cluster: string | null): Promise<readonly JobReport[]> {
    const queue = await transport.run(squeueWords(jobs, cluster));
    // One job that is unknown is an error to squeue, several of which some are unknown are none.
    if (queue.code !== 0 && !/invalid job id/i.test(queue.stderr)) throw new Silence(queue);
    const known = parseSqueue(queue.stdout);
    const seen = new Set(known.map(({ job }) => job));
    const gone = jobs.filter((job) => !seen.has(job));
    if (gone.length === 0 || !accounting) return known;
    const accounts = await transport.run(sacctWords(gone, cluster));
    if (isDisabled(accounts.stderr)) accounting = false;
    else if (accounts.code !== 0) throw new Silence(accounts);
    return [...known, ...parseSacct(accounts.stdout)];
  }

  async function poll(handles: readonly Handle[]): Promise<ReadonlyMap<Handle, Observation>> {
    const answers = new Map<Handle, Observation>();
    const jobs = handles.filter((handle) => handle.target === "slurm");
    for (const [cluster, group] of byCluster(jobs)) {
      if (now() < silence.until) {
        for (const handle of group) answers.set(handle, unknown(silence.why));
        continue;
      }
      try {
        const reports = new Map(
          (await ask([...new Set(group.map(({ job }) => job))], cluster)).map((r) => [r.job, r]),
        );
        silence = { until: 0, pause: 0, why: "" };
        for (const handle of group) {
          const report = reports.get(handle.job);
          answers.set(handle, report === undefined ? forgotten(handle, accounting) : observe(report));
        }
      } catch (error) {
        if (!(error instanceof Silence)) throw error;
        const next = Math.min(pause.longest, Math.max(pause.first, silence.pause * 2));
        silence = { until: now() + next, pause: next, why: error.message };
        for (const handle of group) answers.set(handle, unknown(error.message));
      }
    }
    return answers;
  }

  return poll;
}

class Silence extends Error {
  constructor({ code, stderr }: Answer) {
    super(stderr.trim().split("\n").at(-1) || `it ended with ${code}`);
  }
}

/** Not an end: the run goes on where Slurm cannot be asked, and its own files say how. */
function unknown(why: string): Observation {
  return { state: "running", reason: `Slurm does not answer: ${why}`, raw: "no answer" };
}

function forgotten({ job }: SlurmHandle, accounting: boolean): Observation {
  const why = accounting ? "has no record of it" : "no longer knows it, and keeps no accounting here";
  return { state: "lost", reason: `Slurm ${why}`, raw: `no job ${job}` };
}

function byCluster(handles: readonly SlurmHandle[]): ReadonlyMap<string | null, SlurmHandle[]> {
  const groups = new Map<string | null, SlurmHandle[]>();
  for (const handle of handles) groups.set(handle.cluster, [...(groups.get(handle.cluster) ?? []), handle]);
  return groups;
}
