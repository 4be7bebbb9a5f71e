/** What `cdrc` itself adds to the events of a run, before its first process and after its last. */
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { RunState } from "../target.ts";

export function appendState(directory: string, attempt: number, state: RunState, reason: string, raw = ""): void {
  const event = { time: Date.now() / 1000, attempt, kind: "state", state, reason, raw };
  appendFileSync(join(directory, "events.jsonl"), `${JSON.stringify(event)}\n`);
}
