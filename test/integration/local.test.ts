/** Runs of the real trainer on this machine: to the end, again, interrupted, killed, and with two processes. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { lowerLocal } from "../../compiler/targets/local/lower.ts";
import { resolveRuns } from "../../runtime/run/resolve.ts";
import { carrying } from "../../runtime/submit/process.ts";
import { hasPython, python } from "../support/python.ts";
import { tiny, tinyText, type TinyOptions } from "../support/tiny.ts";

const driver = join(import.meta.dirname, "../support/drive.ts");
const steps = 60;

const document = z.object({
  runs: z.array(
    z.looseObject({
      step: z.string(),
      id: z.string(),
      state: z.string(),
      directory: z.string(),
      attempt: z.number(),
      before: z.boolean(),
      checkpoint: z.string().nullable(),
      loss: z.object({ first: z.number().nullable(), last: z.number().nullable() }),
      report: z.string().nullable(),
    }),
  ),
});

interface Ended {
  readonly code: number | null;
  readonly runs: z.infer<typeof document>["runs"];
  readonly talk: string;
}

function project(): string {
  const folder = mkdtempSync(join(tmpdir(), "cdr-local-"));
  mkdirSync(join(folder, "texts"));
  writeFileSync(join(folder, "texts", "a.txt"), tinyText());
  return folder;
}

/** `cdrc` in a process of its own. */
function begin(
  folder: string,
  words: readonly string[],
  options: TinyOptions = {},
): ChildProcess & { readonly ended: Promise<Ended> } {
  const child = spawn(process.execPath, [driver, ...words], {
    cwd: folder,
    env: {
      ...process.env,
      XDG_STATE_HOME: join(folder, "state"),
      CDR_PYTHON: python(),
      CI: "true",
      TINY: JSON.stringify({ steps, ...options }),
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let data = "";
  let talk = "";
  child.stdout.on("data", (text) => (data += String(text)));
  child.stderr.on("data", (text) => (talk += String(text)));
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (code) =>
      resolve({ code, talk, runs: data === "" ? [] : document.parse(JSON.parse(data)).runs }),
    );
  });
  return Object.assign(child, { ended });
}

const cdrc = (folder: string, words: readonly string[], options: TinyOptions = {}): Promise<Ended> =>
  begin(folder, words, options).ended;

function runOf(folder: string, step: string): string {
  const root = join(folder, "runs", step);
  return join(root, readdirSync(root)[0] ?? "");
}

/** Waits until the stage has logged so many steps. */
async function reached(folder: string, step: number): Promise<string> {
  for (;;) {
    try {
      const directory = runOf(folder, "pretrain");
      if (readFileSync(join(directory, "metrics.jsonl"), "utf8").includes(`"step":${step},`)) return directory;
    } catch {
      // Not begun yet.
    }
    await sleep(20);
  }
}

function weights(checkpoint: string | null | undefined): string {
  const folder = checkpoint ?? "";
  const name = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((file) =>
    file.endsWith("model.safetensors"),
  );
  return createHash("sha256")
    .update(readFileSync(join(folder, name ?? "")))
    .digest("hex");
}

function losses(directory: string): Map<number, number> {
  const rows = readFileSync(join(directory, "metrics.jsonl"), "utf8").trim().split("\n");
  const row = z.looseObject({ step: z.number(), loss: z.number().optional() });
  return new Map(
    rows.flatMap((text) => {
      const { step, loss } = row.parse(JSON.parse(text));
      return loss === undefined ? [] : [[step, loss] as const];
    }),
  );
}

describe.skipIf(!hasPython)("the real trainer", () => {
  const whole = { folder: "", weights: "", losses: new Map<number, number>() };

  beforeAll(async () => {
    whole.folder = project();
    const { code, runs, talk } = await cdrc(whole.folder, ["run", "tiny.cdr", "--json"]);
    expect(code, talk).toBe(0);
    expect(runs.map((run) => [run.step, run.state])).toEqual([
      ["corpus", "done"],
      ["pretrain", "done"],
      ["sample", "done"],
    ]);
    const stage = runs[1];
    whole.weights = weights(stage?.checkpoint);
    whole.losses = losses(stage?.directory ?? "");
    expect(stage?.loss.last).toBeLessThan(stage?.loss.first ?? 0);
    expect(talk).toContain("The ");
  });

  test("again: nothing is started, and it says where the result is", async () => {
    const { code, runs, talk } = await cdrc(whole.folder, ["run", "tiny.cdr", "--json"]);
    expect(code).toBe(0);
    expect(runs.map((run) => [run.before, run.attempt])).toEqual([
      [true, 0],
      [true, 0],
      [true, 0],
    ]);
    expect(talk).toContain("runs/pretrain/");
  });

  test("a report that stands alone, with the curve and the sample", () => {
    const html = readFileSync(join(runOf(whole.folder, "pretrain"), "report.html"), "utf8");
    expect(html).toContain("<svg");
    expect(html).toContain("Text it writes");
    expect(html).not.toMatch(/<script|src="http|href="http/);
    expect(readFileSync(join(runOf(whole.folder, "pretrain"), "loss.svg"), "utf8")).toContain("prefers-color-scheme");
  });

  test("ctrl-c saves and stops; resumed, the weights are those of the unbroken run", async () => {
    const folder = project();
    const first = begin(folder, ["run", "tiny.cdr", "pretrain"]);
    await reached(folder, 12);
    first.kill("SIGINT");
    const { code, talk } = await first.ended;
    expect(code, talk).toBe(130);
    expect(talk).toContain("cdrc resume pretrain");
    const ended = await cdrc(folder, ["resume", "pretrain", "--json"]);
    expect(ended.code, ended.talk).toBe(0);
    expect(ended.runs[0]).toMatchObject({ state: "done", attempt: 1 });
    expect(weights(ended.runs[0]?.checkpoint)).toBe(whole.weights);
    expect(losses(ended.runs[0]?.directory ?? "")).toEqual(whole.losses);
  });

  test("kill -9 of the agent: lost, no process stays, run again goes on to the same weights", async () => {
    const folder = project();
    const first = begin(folder, ["run", "tiny.cdr", "pretrain"]);
    const directory = await reached(folder, 15);
    const { handle } = z
      .object({ handle: z.object({ pid: z.number() }) })
      .parse(JSON.parse(readFileSync(join(directory, "run.json"), "utf8")));
    process.kill(handle.pid, "SIGKILL");
    const { code, talk } = await first.ended;
    expect(code).toBe(3);
    expect(talk).toContain("pretrain is lost");
    const ended = await cdrc(folder, ["run", "tiny.cdr", "pretrain", "--json"]);
    expect(ended.code, ended.talk).toBe(0);
    expect(ended.runs[1]).toMatchObject({ state: "done", attempt: 1 });
    expect(weights(ended.runs[1]?.checkpoint)).toBe(whole.weights);
    expect(carrying("CDR_RUN_DIRECTORY", directory)).toEqual([]);
  });

  test("kill -9 of cdrc: the run goes on, and the same command attaches to it", async () => {
    const folder = project();
    const first = begin(folder, ["run", "tiny.cdr", "pretrain"], { steps: 400 });
    await reached(folder, 5);
    first.kill("SIGKILL");
    await first.ended;
    const { code, runs, talk } = await cdrc(folder, ["run", "tiny.cdr", "pretrain", "--json"], { steps: 400 });
    expect(code, talk).toBe(0);
    expect(runs[1]).toMatchObject({ state: "done", attempt: 0 });
  });

  test("data that are not there are named, with exit code 1 and before anything is made", async () => {
    const folder = project();
    const { code, talk } = await cdrc(folder, ["run", "tiny.cdr"], { patterns: ["nothing/*.txt"] });
    expect(code).toBe(1);
    expect(talk).toContain("nothing/*.txt");
    expect(existsSync(join(folder, "runs"))).toBe(false);
  });

  test("data that are not text are named, with exit code 3 and advice", async () => {
    const folder = project();
    writeFileSync(join(folder, "noise.txt"), Buffer.from([0, 1, 2, 0, 255, 0]));
    const { code, talk, runs } = await cdrc(folder, ["run", "tiny.cdr", "--json"], { patterns: ["noise.txt"] });
    expect(code).toBe(3);
    expect(talk).toContain("noise.txt");
    expect(talk).toContain("cannot go on as it is described");
    expect(runs.map((run) => run.state)).toEqual(["failed", "draft", "draft"]);
  });

  test("two processes: one killed is named, the other does not stay", async () => {
    const folder = project();
    const first = begin(folder, ["run", "tiny.cdr", "pretrain"], { steps: 2000, processes: 2 });
    const directory = await reached(folder, 5);
    const rank = carrying("CDR_RUN_DIRECTORY", directory).find((pid) => environment(pid).includes("RANK=1"));
    expect(rank).toBeDefined();
    process.kill(rank ?? 0, "SIGKILL");
    const { code, talk } = await first.ended;
    expect(code).toBe(3);
    expect(talk).toContain("rank 1 on node 0");
    expect(talk).toContain("SIGKILL");
    expect(carrying("CDR_RUN_DIRECTORY", directory)).toEqual([]);
  });

  test("launch.sh trains to the same weights with no cdrc", () => {
    const folder = project();
    const { bundle, launch } = tiny(folder, { steps });
    for (const { path, text } of [...bundle.files, ...lowerLocal(bundle, launch)]) {
      mkdirSync(dirname(join(folder, "bundle", path)), { recursive: true });
      writeFileSync(join(folder, "bundle", path), text);
    }
    const env = { ...process.env, CDR_PYTHON: python() };
    execFileSync("bash", ["bundle/launch.sh", "corpus", "pretrain"], { cwd: folder, env, stdio: "pipe" });
    expect(weights(join(runOf(folder, "pretrain"), "checkpoints", `step-${String(steps).padStart(8, "0")}`))).toBe(
      whole.weights,
    );
    // `cdrc run` means the same runs.
    const ids = resolveRuns({ ...tiny(folder, { steps }) }, { names: [], fresh: false, python: "" });
    expect(ids[1]?.spec.directory).toBe(runOf(folder, "pretrain"));
  });
});

function environment(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return [];
  }
}
