/** Watches one run to its end and carries the user's wishes to it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { isTraining } from "../../compiler/bundle/steps.ts";
import { appendState } from "../state/events.ts";
import { targetOf } from "../targets.ts";
import { follow } from "../watch/follow.ts";
import type { Snapshot } from "../watch/snapshot.ts";
import type { Wish } from "./interrupts.ts";

export interface Watched {
  readonly directory: string;
  /** What the user wants now; asked at every look, so that a wish made before the agent listens is not lost. */
  readonly wish: () => Wish | null;
  /** Ends the watching and leaves the run alone. */
  readonly leave?: AbortSignal;
}

export async function watchRun(
  { directory, wish, leave }: Watched,
  onLook: (snapshot: Snapshot) => void,
): Promise<Snapshot | null> {
  let sent: Wish | null = null;
  const carry = (snapshot: Snapshot): void => {
    const wanted = wish();
    const { handle, step } = snapshot.record;
    if (wanted === null || handle === null) return;
    // The agent clears old requests when it starts.
    const forgotten = wanted === "save" && isTraining(step) && !existsSync(join(directory, "control", "stop"));
    if (sent === wanted && !forgotten) return;
    sent = wanted;
    void targetOf(handle.target).signal(handle, wanted, directory);
  };
  const end = await follow(directory, {
    onLook: (snapshot) => {
      carry(snapshot);
      onLook(snapshot);
    },
    ...(leave === undefined ? {} : { signal: leave }),
  });
  if (end === null || end.verdict.state !== "lost") return end;
  return settle(end, sent);
}

/** Nobody else writes down that a run is lost, or that it was stopped before its agent could say so. */
function settle(end: Snapshot, sent: Wish | null): Snapshot {
  const { directory, attempt, verdict } = end;
  const settled =
    sent === null
      ? verdict
      : ({ state: "cancelled", reason: "stopped on request before it could save", raw: verdict.raw } as const);
  appendState(directory, attempt, settled.state, settled.reason, settled.raw);
  return { ...end, verdict: settled };
}
