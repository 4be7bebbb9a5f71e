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
  /** The newest attempt. */
  readonly attempt: number;
}

export function reconcile({ exit, observation, progress, attempt }: Witnesses): Verdict {
  const over = observation === null || ended.has(observation.state);
  // A job that saved because its time was up is about to go back to its queue, and then goes on.
  if (exit !== null && ended.has(exit.state) && (over || exit.code !== saved)) return resultOf(exit);
  const written = progress.attempt === attempt ? progress.state : null;
  const stated: Verdict = written ?? { state: "starting", reason: "", raw: "" };
  if (observation === null) {
    if (exit !== null) return resultOf(exit);
    return ended.has(stated.state) ? stated : { state: "draft", reason: "it was never started", raw: "" };
  }
  const { state, reason, raw } = observation;
  // An agent whose disk was full could say how it ended and not leave a result.
  if (state === "lost" && ended.has(stated.state)) return stated;
  // Only the files can say that something is done.
  if (state === "done") return { state: "lost", reason: "it ended and left no result", raw };
  if (over || state === "queued" || state === "requeued") return observation;
  if (exit !== null) return { state: "saving", reason: exit.reason, raw };
  return ended.has(stated.state) ? { ...stated, raw } : { state: stated.state, reason: stated.reason || reason, raw };
}

/** The code of a program that saved and left because it was asked to. */
const saved = 80;

function resultOf({ state, reason, code }: Exit): Verdict {
  return { state, reason, raw: `exit ${code}` };
}
