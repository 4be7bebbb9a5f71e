/** The life of a run with real processes: an agent that keeps the protocol and trains nothing. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readLogs } from "../../runtime/logs/merge.ts";
import { isRefusal } from "../../runtime/run/refusal.ts";
import { resolveRuns, type ResolvedRun } from "../../runtime/run/resolve.ts";
import { rehearse } from "../../runtime/run/dry-run.ts";
import { resumeRun, startRun, type Started } from "../../runtime/run/start.ts";
import { statusOf } from "../../runtime/run/status.ts";
import { watchRun } from "../../runtime/run/watch-run.ts";
import { readRecord, type RunRecord } from "../../runtime/state/record.ts";
import { pointers } from "../../runtime/state/registry.ts";
import { endLeftovers, local } from "../../runtime/submit/local.ts";
import { startOf } from "../../runtime/submit/process.ts";
import type { Snapshot } from "../../runtime/watch/snapshot.ts";
import { slurmDefaults } from "../support/slurm-run.ts";
import { tiny } from "../support/tiny.ts";

const agent = readFileSync(join(import.meta.dirname, "../support/agent.py"), "utf8");
let folder = "";
let run: ResolvedRun;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cdr-life-"));
  vi.stubEnv("XDG_STATE_HOME", join(folder, "state"));
  run = prepared("ok");
});

afterEach(() => {
  endLeftovers(run.spec.directory);
  vi.unstubAllEnvs();
});

const provisionScript = "#!/bin/sh\ncommand -v python3\n";

function compiled(fake: string) {
  const { bundle, ...rest } = tiny(folder, { env: { FAKE: fake, TOKEN: { secret: "TOKEN" } } });
  const files = bundle.files.filter((file) => !file.path.startsWith("trainer/"));
  const own = [
    { path: "trainer/provision.sh", text: provisionScript },
    { path: "trainer/cdr_trainer/__init__.py", text: "" },
    { path: "trainer/cdr_trainer/node.py", text: agent },
  ];
  return { ...rest, bundle: { ...bundle, files: [...files, ...own] } };
}

function prepared(fake: string): ResolvedRun {
  vi.stubEnv("TOKEN", "t0ps3cret");
  const stage = resolveRuns(compiled(fake), { names: [], fresh: false, python: "" })[1];
  if (stage === undefined) throw new Error("no stage");
  return stage;
}

async function start(fake = "ok"): Promise<Started> {
  run = prepared(fake);
  const status = await statusOf(run.spec.directory);
  if (isRefusal(status) || status.kind !== "open") throw new Error(JSON.stringify(status));
  const started = await startRun(run, "tiny.cdr", compiled(fake).bundle, { after: [], next: status.next });
  if (started === "taken" || isRefusal(started)) throw new Error(JSON.stringify(started));
  return started;
}

const end = (wish: "save" | "kill" | null = null): Promise<Snapshot | null> =>
  watchRun({ directory: run.spec.directory, wish: () => wish }, () => {});

async function again(): Promise<Started> {
  const status = await statusOf(run.spec.directory);
  if (isRefusal(status) || status.kind !== "open") throw new Error(JSON.stringify(status));
  const started = await resumeRun(run.spec.directory, record(), status.next);
  if (started === "taken" || isRefusal(started)) throw new Error(JSON.stringify(started));
  return started;
}

function record(): RunRecord {
  const read = readRecord(run.spec.directory);
  if (!read.ok) throw new Error(read.why);
  return read.record;
}

test("to the end, with a record that says what was done", async () => {
  const [{ request } = { request: null }] = rehearse([run], new Map());
  const started = await start();
  expect(started.request).toEqual(request);
  const last = await end();
  expect(last?.verdict).toMatchObject({ state: "done", raw: "exit 0" });
  expect(last?.progress.train.map((row) => row.loss)).toEqual([5, 2.5]);
  expect(record()).toMatchObject({ id: run.spec.id, attempt: 0, secrets: ["TOKEN"], command: request?.command });
  expect(await statusOf(run.spec.directory)).toMatchObject({ kind: "done" });
  expect(pointers()).toMatchObject([{ id: run.spec.id, step: "pretrain" }]);
  const lines = readLogs(run.spec.directory, 0, { rank: 0, pattern: /secret/, last: null });
  expect(lines.map((line) => line.text)).toEqual(["hello from 0, the secret has 9 characters"]);
  expect(() => execFileSync("grep", ["-r", "t0ps3cret", folder])).toThrow();
});

test("a failure keeps its cause, and the next attempt runs from the bundle inside", async () => {
  await start("crash");
  const last = await end();
  expect(last?.verdict.state).toBe("failed");
  expect(last?.exit?.failure).toMatchObject({ rank: 0, cause: "ValueError: boom" });
  const resumed = await again();
  expect(resumed.attempt).toBe(1);
  expect(resumed.request.command.join(" ")).toContain(join(run.spec.directory, "bundle"));
  expect((await end())?.record.attempt).toBe(1);
});

test("a wish to save is kept even if it comes before the agent listens", async () => {
  await start("wait");
  const last = await end("save");
  expect(["stopped on request; a checkpoint was saved", "stopped on request before it could save"]).toContain(
    last?.verdict.reason,
  );
  expect(last?.verdict.state).toBe("cancelled");
});

test("kill -9 of the agent: lost, and startable again", async () => {
  const { handle } = await start("wait");
  await running();
  if (handle.target === "local") process.kill(handle.pid, "SIGKILL");
  const last = await end();
  expect(last?.verdict).toMatchObject({ state: "lost" });
  expect(readFileSync(join(run.spec.directory, "events.jsonl"), "utf8")).toContain('"lost"');
  await again();
  expect((await end("kill"))?.verdict.state).toBe("cancelled");
});

test("a live run is found alive, by its handle or by the mark its processes carry", async () => {
  await start("wait");
  await running();
  expect(await statusOf(run.spec.directory)).toMatchObject({ kind: "live" });
  // What a cdrc leaves that dies between starting the agent and writing down its handle.
  writeFileSync(join(run.spec.directory, "run.json"), JSON.stringify({ ...record(), handle: null }));
  expect(await statusOf(run.spec.directory)).toMatchObject({ kind: "live" });
  expect(record().handle).not.toBeNull();
  await end("kill");
});

test("of two who start the same attempt one is told so, and no process is lost", async () => {
  run = prepared("wait");
  const { bundle } = compiled("wait");
  const both = await Promise.all([0, 1].map(() => startRun(run, "tiny.cdr", bundle, { after: [], next: 0 })));
  expect(both.filter((one) => one === "taken")).toHaveLength(1);
  expect(await statusOf(run.spec.directory)).toMatchObject({ kind: "live" });
  await end("kill");
});

test("a process number that was given away is not the run", async () => {
  const { handle } = await start("wait");
  await running();
  if (handle.target !== "local") throw new Error("local");
  const reused = { ...handle, pid: process.pid };
  const seen = await local.poll([handle, reused]);
  expect([seen.get(handle)?.state, seen.get(reused)?.state]).toEqual(["running", "lost"]);
  await end("kill");
  expect(startOf(handle.pid)).toBeNull();
});

test("a job is not made to wait for a process of this machine, of which a queue knows nothing", async () => {
  const { handle } = await start("wait");
  const target = { kind: "slurm", ...slurmDefaults } as const;
  const other = {
    ...run,
    spec: { ...run.spec, directory: join(folder, "runs/other/1"), launch: { ...run.spec.launch, target } },
  };
  const refused = await startRun(other, "tiny.cdr", compiled("ok").bundle, { after: [handle], next: 0 });
  expect(refused).toMatchObject({ kind: "refusal", message: expect.stringContaining("runs on local") });
  expect(existsSync(join(folder, "runs/other"))).toBe(false);
  await end("kill");
});

test("a copy of a run that goes on has nothing to stop, and goes on by itself; a moved one is the run", async () => {
  const { handle } = await start("wait");
  await running();
  const copy = join(folder, "copied");
  cpSync(run.spec.directory, copy, { recursive: true });
  const read = readRecord(copy);
  expect(read.ok && [read.copyOf, read.record.handle]).toEqual([realpathSync(run.spec.directory), null]);
  const status = await statusOf(copy);
  expect(status).toMatchObject({ kind: "open", next: 1 });
  expect(!isRefusal(status) && status.snapshot?.verdict).toMatchObject({
    state: "lost",
    reason: expect.stringContaining("is a copy of"),
  });
  const cancelled = spawnSync(
    process.execPath,
    [join(import.meta.dirname, "../../cli/cdrc.ts"), "cancel", copy, "--now"],
    {
      encoding: "utf8",
      env: process.env,
    },
  );
  expect(cancelled.status, cancelled.stderr).toBe(2);
  expect(cancelled.stderr).toContain("this directory is a copy");
  expect(startOf(handle.target === "local" ? handle.pid : 0)).not.toBeNull();
  expect(record().handle).toEqual(handle);

  const moved = join(folder, "moved");
  renameSync(run.spec.directory, moved);
  const there = readRecord(moved);
  expect(there.ok && [there.copyOf, there.record.handle]).toEqual([null, handle]);
  renameSync(moved, run.spec.directory);
  await end("kill");
});

test.each([
  ["launch", { env: { "A; touch pwned": "x" } }],
  ["launch", { env: { A: { secret: "B}$(touch pwned)" } } }],
  ["secrets", ["B; touch pwned"]],
  ["handle", { target: "slurm", job: "--state=running", cluster: null }],
])("a record whose %s would mean something to a shell is none", async (field, said) => {
  await start("wait");
  await end("kill");
  const path = join(run.spec.directory, "run.json");
  const written = JSON.parse(readFileSync(path, "utf8")) as Record<string, object>;
  const changed = Array.isArray(said) ? said : { ...written[field], ...said };
  writeFileSync(path, JSON.stringify({ ...written, [field]: changed }));
  expect(readRecord(run.spec.directory)).toMatchObject({
    ok: false,
    why: expect.stringContaining(`run.json: ${field}`),
  });
});

test("a missing secret stops it before anything is written of an attempt", async () => {
  vi.stubEnv("TOKEN", "");
  const refused = await startRun(run, "tiny.cdr", compiled("ok").bundle, { after: [], next: 0 });
  expect(refused).toMatchObject({ kind: "refusal", message: expect.stringContaining("TOKEN") });
  expect(existsSync(join(run.spec.directory, "run.json"))).toBe(false);
});

test("a place that is no folder is refused in one block, and nothing is left half-written", async () => {
  writeFileSync(join(folder, "runs"), "a file");
  const refused = await startRun(run, "tiny.cdr", compiled("ok").bundle, { after: [], next: 0 });
  expect(refused).toMatchObject({ kind: "refusal" });
  expect(existsSync(run.spec.directory)).toBe(false);
});

test.skipIf(process.getuid?.() === 0)("a root that cannot be written is refused", async () => {
  mkdirSync(join(folder, "runs"));
  chmodSync(join(folder, "runs"), 0o555);
  const refused = await startRun(run, "tiny.cdr", compiled("ok").bundle, { after: [], next: 0 });
  expect(refused).toMatchObject({ kind: "refusal", message: expect.stringContaining("cannot be written") });
});

async function running(): Promise<void> {
  while (!existsSync(join(run.spec.directory, "logs", "a0", "0-0.out"))) await sleep(20);
}
