/** Why a run ended without its result, in one block: who, what, its last words, where the rest is, what to do now. */
import type { Snapshot } from "../watch/snapshot.ts";
import * as format from "./format.ts";
import { rejectedOf } from "./model.ts";
import type { Paint } from "./paint.ts";
import { padEnd, wrap } from "./width.ts";

export interface FailureFacts {
  readonly snapshot: Snapshot;
  /** The directory as a user would type it; `null`: nothing was left of it. */
  readonly directory: string | null;
  /** What the commands on runs call it, and a command as the user can type it. */
  readonly name: string;
  readonly typed: (words: string) => string;
  /** Its last lines, for an agent that died before it could say anything. */
  readonly words: readonly string[];
}

export function renderFailure(facts: FailureFacts, columns: number, paint: Paint): string[] {
  const { snapshot, directory, words } = facts;
  const { record, verdict, exit, progress } = snapshot;
  const failure = exit?.failure ?? progress.failure;
  const name = record.step.name;
  const attempt = snapshot.attempt > 0 ? `, ${format.attempt(snapshot.attempt)}` : "";
  const head = `${titleOf(snapshot)}${attempt}`;
  const cause = failure?.cause || verdict.reason || "no reason is known";
  const tail = failure === null ? words : failure.tail;
  const rows: (readonly [string, string])[] = [];
  const who = whoOf(failure);
  if (who !== "") rows.push(["who", who]);
  rows.push(["cause", cause]);
  for (const words of rejectedOf(snapshot, snapshot.attempt)) rows.push(["note", words]);
  const fields = rows.flatMap(([label, text]) => field(label, text, columns, paint));
  const quoted = tail
    .filter((line) => line !== `error: ${cause}`)
    .slice(-12)
    .map((line) => `   ${paint.dim("│")} ${line}`);
  const log = directory === null ? [] : field("log", `${directory}/${logOf(snapshot)}`, columns, paint);
  return [
    "",
    ` ${paint.red("✖")} ${paint.bold(name)} ${paint.red(head)}`,
    "",
    ...fields,
    ...(quoted.length === 0 ? [] : ["", ...quoted, ""]),
    ...log,
    ...field("next", nextOf(snapshot, facts), columns, paint),
    "",
  ];
}

function titleOf({ exit, verdict }: Snapshot): string {
  switch (exit?.code) {
    case 65:
      return "cannot go on as it is described";
    case 69:
      return "did not start: something is missing on the node";
    case 73:
      return "ran out of space";
    case 75:
      return "is in use by a live run";
    default:
      return verdict.state === "lost" ? "is lost" : "failed";
  }
}

function whoOf(failure: Snapshot["progress"]["failure"] | undefined): string {
  if (failure === null || failure === undefined) return "";
  const rank = typeof failure.rank === "number" ? `rank ${failure.rank}` : "";
  const node = typeof failure.node === "number" ? `node ${failure.node}` : "";
  const code = typeof failure.code === "number" ? codeOf(failure.code) : "";
  const where = [rank, node].filter((text) => text !== "").join(" on ");
  return [where, code].filter((text) => text !== "").join(", ");
}

const signals: Readonly<Record<number, string>> = {
  1: "SIGHUP",
  2: "SIGINT",
  4: "SIGILL",
  6: "SIGABRT",
  7: "SIGBUS",
  8: "SIGFPE",
  9: "SIGKILL",
  11: "SIGSEGV",
  15: "SIGTERM",
};

function codeOf(code: number): string {
  const signal = code < 0 ? -code : code > 128 ? code - 128 : 0;
  const name = signals[signal];
  return name === undefined ? `exit code ${code}` : `ended by ${name} (${code})`;
}

function logOf({ attempt, exit, progress }: Snapshot): string {
  const failure = exit?.failure ?? progress.failure;
  const folder = `logs/a${attempt}`;
  if (failure === null || typeof failure.rank !== "number") {
    return exit === null ? `${folder}/launch.log` : `${folder}/node-0.log`;
  }
  return `${folder}/${failure.node ?? 0}-${failure.rank}.err`;
}

function nextOf({ record, exit, progress, verdict }: Snapshot, { typed, name, directory }: FailureFacts): string {
  // What a command of its own started, such as a calibration, came from no file.
  const again = record.file.endsWith(".cdr") ? typed(`run ${record.file}`) : "start the same command again";
  const resume = directory === null ? again : typed(`resume ${name}`);
  const saved = progress.checkpoints.at(-1);
  const from =
    record.step.kind !== "stage" || saved === undefined ? "starts over" : `continues from step ${saved.step}`;
  switch (exit?.code) {
    case 65:
      return `correct what is named above, then ${again}`;
    case 69:
      return `provide it, then ${resume}`;
    case 73:
      return `free some space, then ${resume} (${from})`;
    default:
      return verdict.state === "lost" ? `${resume} (${from})` : `${resume} (${from}); ${typed(`logs ${name}`)}`;
  }
}

function field(label: string, text: string, columns: number, paint: Paint): string[] {
  const [first = "", ...others] = wrap(text, Math.max(20, columns - 12));
  return [`   ${paint.dim(padEnd(label, 6))} ${first}`, ...others.map((line) => `          ${line}`)];
}
