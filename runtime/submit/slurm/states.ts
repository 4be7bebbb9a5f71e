/** Every state of a Slurm job as one of ours. */
import type { Observation, RunState } from "../../target.ts";
import { pendingReason } from "./pending.ts";

/** What squeue or sacct says of a job. */
export interface JobReport {
  readonly job: string;
  /** Slurm's word: the first of `CANCELLED by 1001`, of `RUNNING,COMPLETING`, of `OUT_OF_MEMORY+`. */
  readonly state: string;
  readonly restarts: number;
  readonly reason: string;
  readonly exit: { readonly code: number; readonly signal: number } | null;
  readonly nodes: string;
}

type Meaning = readonly [state: RunState, reason: string];

const meanings: Readonly<Record<string, Meaning>> = {
  PENDING: ["queued", ""],
  CONFIGURING: ["starting", "the nodes are being made ready"],
  RUNNING: ["running", ""],
  COMPLETING: ["running", "its last processes are ending"],
  STAGE_OUT: ["running", "its files are being staged out"],
  SIGNALING: ["running", "it is being sent a signal"],
  RESIZING: ["running", "it is changing size"],
  EXPEDITING: ["queued", "it is about to be restarted"],
  STOPPED: ["running", "it was stopped with its nodes kept: `scontrol resume` or SIGCONT continues it"],
  SUSPENDED: ["running", "it was suspended by the scheduler or an administrator"],
  REQUEUED: ["requeued", "it goes back to the queue"],
  REQUEUE_HOLD: ["requeued", "it went back to the queue and is held: `scontrol release` lets it go"],
  REQUEUE_FED: ["requeued", "it goes back to the queue of its federation"],
  RESV_DEL_HOLD: ["queued", "its reservation was deleted, and it is held"],
  SPECIAL_EXIT: [
    "requeued",
    "it went back to the queue in a special state and is held: `scontrol release` lets it go",
  ],
  UPDATE_DB: ["running", "its record is being updated"],
  COMPLETED: ["done", ""],
  CANCELLED: ["cancelled", "it was cancelled"],
  FAILED: ["failed", "it failed"],
  TIMEOUT: ["failed", "it reached its time limit"],
  DEADLINE: ["failed", "its deadline passed"],
  PREEMPTED: ["failed", "it was preempted and not put back into the queue"],
  NODE_FAIL: ["failed", "a node failed"],
  BOOT_FAIL: ["failed", "a node did not boot"],
  LAUNCH_FAILED: ["failed", "a node could not start it"],
  RECONFIG_FAIL: ["failed", "a node could not be reconfigured for it"],
  OUT_OF_MEMORY: ["failed", "it used more host memory than it asked for"],
  POWER_UP_NODE: ["starting", "its nodes are being switched on"],
  REVOKED: ["lost", "another cluster of the federation took it"],
};

/** Never throws: a state that nobody knows leaves the run as its own files describe it. */
export function observe(report: JobReport): Observation {
  const word = /^[A-Z_]+/.exec(report.state.trim().toUpperCase())?.[0] ?? "";
  const known = meanings[word];
  if (known === undefined)
    return { state: "running", reason: `Slurm says ${report.state || "nothing"}`, raw: report.state };
  const [state, reason] = known;
  if (word === "PENDING") {
    const waits = pendingReason(report.reason);
    if (report.restarts > 0) return { state: "requeued", reason: waits, raw: rawOf(word, report) };
    return { state, reason: waits, raw: rawOf(word, report) };
  }
  if (word === "CANCELLED" && report.reason === "DependencyNeverSatisfied") {
    return { state, reason: "an earlier step failed", raw: rawOf(word, report) };
  }
  const { exit } = report;
  if (word === "FAILED" && exit?.code === 80) {
    return { state: "cancelled", reason: "stopped on request; a checkpoint was saved", raw: rawOf(word, report) };
  }
  const how =
    word !== "FAILED" || exit === null ? "" : exit.signal > 0 ? ` by signal ${exit.signal}` : ` with ${exit.code}`;
  return { state, reason: reason + how, raw: rawOf(word, report) };
}

function rawOf(word: string, { reason, exit, restarts, nodes }: JobReport): string {
  const parts = [word];
  if (reason !== "" && reason !== "None") parts.push(`(${reason})`);
  if (exit !== null && (exit.code > 0 || exit.signal > 0)) parts.push(`exit ${exit.code}:${exit.signal}`);
  if (restarts > 0) parts.push(`restart ${restarts}`);
  if (nodes !== "") parts.push(`on ${nodes}`);
  return parts.join(" ");
}
