/** Starts the next attempt at a run. Whoever makes the attempt's log folder first owns the attempt. */
import { mkdirSync, rmSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Bundle } from "../../compiler/bundle/steps.ts";
import { appendState } from "../state/events.ts";
import { launchRecord, readRecord, specOf, writeRecord, type RunRecord } from "../state/record.ts";
import { forget, register } from "../state/registry.ts";
import { whereabouts } from "../state/whereabouts.ts";
import { endLeftovers } from "../submit/local.ts";
import { targetOf } from "../targets.ts";
import type { Handle, Request, RunSpec } from "../target.ts";
import { placeBundle } from "./bundle.ts";
import { isRefusal, refusal, refusalOf, type Refusal } from "./refusal.ts";
import type { ResolvedRun } from "./resolve.ts";
import { typed } from "./typed.ts";
import { makeFolder } from "../../compiler/make-folder.ts";

export interface Order {
  /** Runs that must end well first; only targets with a queue take them. */
  readonly after: readonly Handle[];
  /** The number of the attempt, from `statusOf`. */
  readonly next: number;
}

export interface Started {
  readonly handle: Handle;
  readonly request: Request;
  readonly attempt: number;
}

/** Somebody else is starting the same attempt: wait for it, and attach. */
export type Taken = "taken";

/** A run that has no directory yet, or one whose last attempt has ended. What is refused leaves nothing new behind. */
export async function startRun(
  run: ResolvedRun,
  file: string,
  bundle: Bundle,
  { after, next }: Order,
): Promise<Started | Refusal | Taken> {
  const { directory, id } = run.spec;
  const made = mkdirs(directory);
  if (isRefusal(made)) return made;
  const answer = await begin(async () => {
    placeBundle(bundle, run.spec.bundle);
    const known = readRecord(directory);
    const base = { file, hashes: { ...run.hashes }, sources: [...run.sources] };
    const created = known.ok ? known.record.created : Date.now() / 1000;
    return attempt({ ...run.spec, after, attempt: next }, { ...base, created });
  }, directory);
  if (made !== null && isRefusal(answer)) discardRun({ id, directory });
  return answer;
}

/** The directory, if it was made now; `null` if it was there. */
function mkdirs(directory: string): string | null | Refusal {
  try {
    return makeFolder(directory) ?? null;
  } catch (error) {
    const refused = refusalOf(error, directory);
    if (refused === null) throw error;
    return refused;
  }
}

async function begin(
  work: () => Promise<Started | Refusal | Taken>,
  directory: string,
): Promise<Started | Refusal | Taken> {
  try {
    return await work();
  } catch (error) {
    const refused = refusalOf(error, directory);
    if (refused === null) throw error;
    return refused;
  }
}

/** Removes a run, and the folders above it that it was alone in: `<root>/<step>/<id>`. */
export function discardRun({ id, directory }: Pick<RunSpec, "id" | "directory">): void {
  rmSync(directory, { recursive: true, force: true });
  forget({ id, directory });
  try {
    for (const folder of [dirname(directory), dirname(dirname(directory))]) rmdirSync(folder);
  } catch {
    // It holds other runs.
  }
}

/** The next attempt at a run that is known by its directory alone. */
export async function resumeRun(
  directory: string,
  record: RunRecord,
  next: number,
): Promise<Started | Refusal | Taken> {
  return begin(() => attempt({ ...specOf(directory, record), attempt: next }, record), directory);
}

function missingSecrets(names: readonly string[]): Refusal | null {
  const missing = names.filter((name) => (process.env[name] ?? "") === "");
  if (missing.length === 0) return null;
  const [first = ""] = missing;
  return refusal(
    `the launch names ${missing.length === 1 ? "a secret" : "secrets"} that this environment does not have: ${missing.join(", ")}`,
    `export ${first}=… and run again`,
  );
}

type Kept = Pick<RunRecord, "file" | "hashes" | "sources" | "created">;

async function attempt(spec: RunSpec, kept: Kept): Promise<Started | Refusal | Taken> {
  const { directory, step } = spec;
  const target = targetOf(spec.launch.target.kind);
  const request = target.request(spec);
  const refused = missingSecrets(request.secrets) ?? unreachable(spec);
  if (refused !== null) return refused;
  if (!claim(directory, spec.attempt)) return "taken";
  if (target.name === "local") endLeftovers(directory);
  const { command, cwd, env, secrets } = request;
  const record: RunRecord = {
    format: 1,
    id: spec.id,
    step: { ...step, files: [...step.files], inputs: step.inputs.map((input) => ({ ...input })) },
    file: kept.file,
    project: spec.project,
    attempt: spec.attempt,
    inputs: spec.inputs.map((input) => ({ ...input })),
    target: target.name,
    handle: null,
    at: whereabouts(directory),
    command: [...command],
    cwd,
    env: { ...env },
    secrets: [...secrets],
    hashes: kept.hashes,
    sources: kept.sources,
    launch: launchRecord(spec.launch),
    created: kept.created,
    started: Date.now() / 1000,
  };
  rmSync(join(directory, "control", "stop"), { force: true });
  await writeRecord(directory, record);
  await register({ id: spec.id, step: step.name, directory, project: spec.project, created: record.started });
  appendState(directory, spec.attempt, target.name === "local" ? "starting" : "queued", "submitted by cdrc");
  const handle = await target.submit(request);
  if (isRefusal(handle)) {
    appendState(directory, spec.attempt, "failed", handle.message);
    return handle;
  }
  await writeRecord(directory, { ...record, handle });
  return { handle, request, attempt: spec.attempt };
}

/** A queue keeps an order among its own jobs alone. */
function unreachable({ after, launch, step }: RunSpec): Refusal | null {
  const place = launch.target.kind;
  const other = after.find(({ target }) => place !== "local" && target !== place);
  if (other === undefined) return null;
  return refusal(
    `"${step.name}" must wait for a step that runs on ${other.target}, which ${place} cannot see`,
    `wait until that step is done (${typed("ps")} lists it), then run the same command again`,
  );
}

function claim(directory: string, number: number): boolean {
  mkdirSync(join(directory, "logs"), { recursive: true });
  try {
    mkdirSync(join(directory, "logs", `a${number}`));
    return true;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    return false;
  }
}
