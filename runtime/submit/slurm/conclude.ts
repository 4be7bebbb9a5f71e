/** Slurm's word and the agent's result, put together: a job may start several times, a result belongs to one start. */
import type { Exit } from "../../watch/lines.ts";
import { ended, type Progress, type Verdict } from "../../watch/progress.ts";
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

/** The verdict on a run that Slurm has: while it has the job, no result of a start is the last word. */
export function verdictOf(observation: Observation, exit: Exit | null, progress: Progress, attempt: number): Verdict {
  const word = conclude(observation, exit);
  if (word !== null) return word;
  const written = progress.attempt === attempt ? progress.state : null;
  const { raw } = observation;
  if (written === null) return { state: "starting", reason: observation.reason, raw };
  if (!ended.has(written.state)) return { state: written.state, reason: written.reason || observation.reason, raw };
  return { state: "saving", reason: `${written.reason}; Slurm still has the job`, raw };
}
