/** One truth from three witnesses: the result the agent left, what the target sees, the last state that was written. */
import type { Observation } from "../target.ts";
import type { Exit } from "./lines.ts";
import { ended, type Progress, type Verdict } from "./progress.ts";

export interface Witnesses {
  /** `exit/a<attempt>.json` of the newest attempt. */
  readonly exit: Exit | null;
  /** Of the target; `null` where there is nothing to ask. Made before `exit` was read: an agent leaves its result first. */
  readonly observation: Observation | null;
  readonly progress: Progress;
  /** The attempt that `run.json` describes. */
  readonly attempt: number;
}

export function reconcile({ exit, observation, progress, attempt }: Witnesses): Verdict {
  if (exit !== null) return { state: exit.state, reason: exit.reason, raw: `exit ${exit.code}` };
  const written = progress.attempt === attempt ? progress.state : null;
  const stated: Verdict = written ?? { state: "starting", reason: "", raw: "" };
  if (observation === null) {
    return ended.has(stated.state) ? stated : { state: "draft", reason: "it was never started", raw: "" };
  }
  // An agent whose disk was full could say how it ended and not leave a result.
  if (observation.state === "lost" && ended.has(stated.state)) return stated;
  if (ended.has(observation.state) || observation.state === "queued" || observation.state === "requeued") {
    // A scheduler's word against an agent that left none. Only the files can say that something is done.
    return observation.state === "done" ? { ...observation, state: "lost" } : observation;
  }
  const { raw, reason } = observation;
  return ended.has(stated.state) ? { ...stated, raw } : { state: stated.state, reason: stated.reason || reason, raw };
}
