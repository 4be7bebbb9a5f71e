/** Slurm's word and the agent's result, put together: a job may start several times, a result belongs to one start. */
import type { Exit } from "../../watch/lines.ts";
import { ended, type Verdict } from "../../watch/progress.ts";
import type { Observation } from "../../target.ts";

/**
 * `exit`: the result of the newest attempt, the job's first or one that Slurm's restarts began. `null`: the job goes on,
 * and what the run wrote last says how.
 */
export function conclude(observation: Observation, exit: Exit | null): Verdict | null {
  const { state, reason, raw } = observation;
  if (state === "queued" || state === "requeued") return observation;
  if (exit?.state === "done") return { state: "done", reason: exit.reason, raw };
  // A start that ended may be followed by another: only when Slurm says that the job is over, it is.
  if (!ended.has(state)) return null;
  if (state === "done") return { state: "lost", reason: "it ended and left no result", raw };
  if (exit === null || exit.state === "requeued") return observation;
  const byItself = /^(FAILED|no job)/.test(raw);
  return byItself
    ? { state: exit.state, reason: exit.reason, raw }
    : { state, reason: `${reason}; ${exit.reason}`, raw };
}
