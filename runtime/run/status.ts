/** Where a run stands before one acts on it, and the number of the attempt that would come next. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readRecord, writeRecord } from "../state/record.ts";
import { recoverHandle } from "../submit/local.ts";
import { pollAll } from "../targets.ts";
import { ended } from "../watch/progress.ts";
import { snapshotOf, type Snapshot } from "../watch/snapshot.ts";
import { refusal, type Refusal } from "./refusal.ts";

export type Status =
  /** Nothing was started yet, or the last attempt has ended otherwise than well. */
  | { readonly kind: "open"; readonly next: number; readonly snapshot: Snapshot | null }
  | { readonly kind: "live"; readonly snapshot: Snapshot }
  | { readonly kind: "done"; readonly snapshot: Snapshot };

/** How long another `cdrc` may take between claiming an attempt and writing down its handle. */
const patience = 15_000;

export async function statusOf(directory: string): Promise<Status | Refusal> {
  // The number is taken before the look: an attempt that somebody starts in between makes our claim fail.
  const next = await settledAttempt(directory);
  if (!existsSync(join(directory, "run.json"))) return { kind: "open", next, snapshot: null };
  const read = readRecord(directory);
  if (!read.ok) return refusal(`the record of this run cannot be read\n${read.why}`, "move the directory away");
  if (read.record.handle === null && read.record.target === "local") {
    const handle = recoverHandle(directory);
    if (handle !== null) await writeRecord(directory, { ...read.record, handle });
  }
  const snapshot = await snapshotOf(directory);
  if (snapshot === null) return { kind: "open", next, snapshot: null };
  if (!ended.has(snapshot.verdict.state) && snapshot.verdict.state !== "draft") return { kind: "live", snapshot };
  if (snapshot.verdict.state === "done") return { kind: "done", snapshot };
  await leaving(snapshot);
  return { kind: "open", next, snapshot };
}

export function nextAttempt(directory: string): number {
  const logs = join(directory, "logs");
  const names = existsSync(logs) ? readdirSync(logs) : [];
  const numbers = names.flatMap((name) => (/^a\d+$/.test(name) ? [Number(name.slice(1))] : []));
  return Math.max(-1, ...numbers) + 1;
}

async function settledAttempt(directory: string): Promise<number> {
  for (let waited = 0; ; waited += 100) {
    const next = nextAttempt(directory);
    const read = readRecord(directory);
    const settled =
      read.ok &&
      (read.copyOf !== null ||
        read.record.attempt > next - 1 ||
        (read.record.target === "slurm" && read.record.handle !== null) ||
        (read.record.attempt === next - 1 && read.record.handle !== null));
    if (next === 0 || settled || waited >= patience) return next;
    if (read.ok && read.record.attempt === next - 1 && recoverHandle(directory) !== null) return next;
    await sleep(100);
  }
}

/** An agent writes its result and then leaves; until it has, it holds the lock of the directory. */
async function leaving(snapshot: Snapshot): Promise<void> {
  const { handle } = snapshot.record;
  if (handle?.target !== "local") return;
  for (let waited = 0; waited < 5000; waited += 100) {
    const seen = (await pollAll([handle])).get(handle);
    if (seen === undefined || !seen.raw.startsWith("process")) return;
    await sleep(100);
  }
}
