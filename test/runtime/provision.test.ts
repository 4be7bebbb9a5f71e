/** The Python environment: made once whoever asks, taken over from a maker that died, and refused in words. */
import { execFile, spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";

const script = resolve("trainer/provision.sh");
const run = promisify(execFile);
let home: string;
let env: NodeJS.ProcessEnv;

/** Stands for `uv`: an environment is a folder, and the making of one takes a second. */
const uv = `#!/bin/sh
echo "$1" >>"$CDR_HOME/calls"
[ "$1" = venv ] || exit 0
for last; do :; done
mkdir -p "$last/bin"
sleep 1
`;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "cdr-provision-"));
  mkdirSync(join(home, "bin"));
  writeFileSync(join(home, "bin", "uv"), uv);
  chmodSync(join(home, "bin", "uv"), 0o755);
  env = { ...process.env, CDR_HOME: home, PATH: `${join(home, "bin")}:${process.env["PATH"] ?? ""}` };
  delete env["CDR_PYTHON"];
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const made = (): number => readFileSync(join(home, "calls"), "utf8").match(/^venv$/gm)?.length ?? 0;
const ask = async (): Promise<string> => (await run("sh", [script], { env })).stdout.trim();
const claims = (): string[] => readdirSync(join(home, "python")).filter((name) => name.endsWith(".lock"));

test("several ask at once: one makes it, and all get it", async () => {
  const paths = await Promise.all([ask(), ask(), ask()]);
  expect(new Set(paths).size).toBe(1);
  expect(made()).toBe(1);
  expect(claims()).toEqual([]);
});

test("a maker that was killed is replaced", async () => {
  const maker = spawn("sh", [script], { env, stdio: "ignore" });
  while (!existsSync(join(home, "calls"))) await sleep(20);
  maker.kill("SIGKILL");
  await ask();
  expect(made()).toBe(2);
});

test("a claim that nobody touches any more is taken over, with an owner or without", async () => {
  const path = await ask();
  const environment = resolve(path, "../..");
  for (const owner of ["", "1 another-machine"]) {
    rmSync(environment, { recursive: true });
    mkdirSync(`${environment}.lock`);
    if (owner !== "") writeFileSync(join(`${environment}.lock`, "owner"), `${owner}\n`);
    const before = Date.now() / 1000 - 600;
    utimesSync(`${environment}.lock`, before, before);
    expect(await ask()).toBe(path);
  }
});

test("another machine's maker is waited for", async () => {
  const path = await ask();
  const environment = resolve(path, "../..");
  rmSync(join(environment, "ready"));
  mkdirSync(`${environment}.lock`);
  writeFileSync(join(`${environment}.lock`, "owner"), "1 another-machine\n");
  const asked = ask();
  await sleep(1500);
  expect(made()).toBe(1);
  writeFileSync(join(environment, "ready"), "");
  rmSync(`${environment}.lock`, { recursive: true });
  expect(await asked).toBe(path);
  expect(made()).toBe(1);
});

test("an interpreter that is not there is named, with the exit code of preflight", async () => {
  const asked = run("sh", [script], { env: { ...env, CDR_PYTHON: "/no/such/python" } });
  await expect(asked).rejects.toMatchObject({ code: 69, stderr: expect.stringContaining("/no/such/python") });
});
