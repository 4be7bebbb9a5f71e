/** Seconds in which a run had its machines: of all its attempts, without what they waited in a queue. */
import type { RunState } from "../target.ts";
import type { Progress } from "./progress.ts";

const waiting: ReadonlySet<RunState> = new Set(["draft", "queued", "requeued"]);

export function secondsSpent({ changes, train }: Pick<Progress, "changes" | "train">): number {
  const attempts = new Set(changes.map(({ attempt }) => attempt));
  return [...attempts].reduce((sum, attempt) => {
    const own = changes.filter((change) => change.attempt === attempt);
    const begun = own.find(({ state }) => !waiting.has(state))?.time;
    const trained = train.findLast((row) => row.attempt === attempt)?.seconds ?? 0;
    const seen = begun === undefined ? 0 : (own.at(-1)?.time ?? begun) - begun;
    return sum + Math.max(seen, trained);
  }, 0);
}
