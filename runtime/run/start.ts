/** Starts the next attempt at a run. Whoever makes the attempt's log folder first owns the attempt. */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Bundle } from "../../compiler/bundle/steps.ts";
import { appendState } from "../state/events.ts";
import { launchRecord, readRecord, specOf, writeRecord, type RunRecord } from "../state/record.ts";
import { register } from "../state/registry.ts";
import { endLeftovers } from "../submit/local.ts";
import { targetOf } from "../targets.ts";
import type { Handle, Request, RunSpec } from "../target.ts";
import { placeBundle } from "./bundle.ts";
import { isRefusal, refusal, refusalOf, type Refusal } from "./refusal.ts";
import type { ResolvedRun } from "./resolve.ts";
import { nextAttempt } from "./status.ts";

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

/** A run that has no directory yet, or one whose last attempt has ended. */
export async function startRun(
  run: ResolvedRun,
  file: string,
  bundle: Bundle,
  { after, next }: Order,
): Promise<Started | Refusal> {
  const { directory } = run.spec;
  const isNew = !existsSync(directory);
  try {
    mkdirSync(directory, { recursive: true });
    placeBundle(bundle, run.spec.bundle);
    const now = Date.now() / 1000;
    const known = readRecord(directory);
    const base = { file, hashes: { ...run.hashes }, sources: [...run.sources] };
    const created = known.ok ? known.record.created : now;
    return await attempt({ ...run.spec, after, attempt: next }, { ...base, created });
  } catch (error) {
    const refused = refusalOf(error, directory);
    if (refused === null) throw error;
    if (isNew) rmSync(directory, { recursive: true, force: true });
    return refused;
  }
}

/** The next attempt at a run that is known by its directory alone. */
export async function resumeRun(directory: string, record: RunRecord, next: number): Promise<Started | Refusal> {
  try {
    return await attempt({ ...specOf(directory, record), attempt: next }, record);
  } catch (error) {
    const refused = refusalOf(error, directory);
    if (refused === null) throw error;
    return refused;
  }
}

/** The request of the attempt that would come next; nothing is written. */
export function dryRequest(run: ResolvedRun): Request {
  const spec = { ...run.spec, attempt: nextAttempt(run.spec.directory) };
  return targetOf(spec.launch.target.kind).request(spec);
}

export function missingSecrets(names: readonly string[]): Refusal | null {
  const missing = names.filter((name) => (process.env[name] ?? "") === "");
  if (missing.length === 0) return null;
  const [first = ""] = missing;
  return refusal(
    `the launch names ${missing.length === 1 ? "a secret" : "secrets"} that this environment does not hold: ${missing.join(", ")}`,
    `export ${first}=… and run again`,
  );
}

type Kept = Pick<RunRecord, "file" | "hashes" | "sources" | "created">;

async function attempt(spec: RunSpec, kept: Kept): Promise<Started | Refusal> {
  const { directory, step } = spec;
  const target = targetOf(spec.launch.target.kind);
  const request = target.request(spec);
  const refused = missingSecrets(request.secrets) ?? (await claim(directory, spec.attempt));
  if (refused !== null) return refused;
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
  await register({ id: spec.id, step: step.name, directory, created: record.started });
  appendState(directory, spec.attempt, target.name === "local" ? "starting" : "queued", "submitted by cdrc");
  const handle = await submit(target.submit, request);
  if (isRefusal(handle)) {
    appendState(directory, spec.attempt, "failed", handle.message);
    return handle;
  }
  await writeRecord(directory, { ...record, handle });
  return { handle, request, attempt: spec.attempt };
}

async function submit(send: (request: Request) => Promise<Handle>, request: Request): Promise<Handle | Refusal> {
  try {
    return await send(request);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return refusal(`${request.command[0] ?? "the command"} could not be started\n${message}`);
  }
}

async function claim(directory: string, number: number): Promise<Refusal | null> {
  mkdirSync(join(directory, "logs"), { recursive: true });
  try {
    mkdirSync(join(directory, "logs", `a${number}`));
    return null;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    return refusal(`${directory} is being started by another cdrc`, "run the same command again: it attaches");
  }
}
