/** Slurm's word and the agent's result, put together: a job may start several times, a result belongs to one start. */
import type { Exit } from "../../watch/lines.ts";
import { ended, type Verdict } from "../../watch/progress.ts";
import type { Observation } from "../../target.ts";

/** `exit`: the result of the newest attempt, the job's first or one that Slurm's restarts began. */
export function conclude(observation: Observation, exit: Exit | null): Verdict {
  const { state, reason, raw } = observation;
  if (exit === null || state === "queued" || state === "requeued") return observation;
  if (exit.state === "done") return { state: "done", reason: exit.reason, raw };
  // It may yet go back to the queue: only when Slurm says that it is over, it is.
  if (!ended.has(state)) return { state, reason: reason || "its last processes are ending", raw };
  if (exit.state === "requeued") return observation;
  const bySlurm = !/^(COMPLETED|FAILED|no job)/.test(raw);
  if (bySlurm) return { state, reason: `${reason}; ${exit.reason}`, raw };
  return { state: exit.state, reason: exit.reason, raw };
}
