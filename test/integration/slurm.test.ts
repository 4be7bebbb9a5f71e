/** Against a real Slurm of two nodes, with the real trainer over gloo. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { slurmOver } from "../../runtime/submit/slurm/slurm.ts";
import { isRefusal, type Refusal } from "../../runtime/run/refusal.ts";
import type { Handle, RunSpec } from "../../runtime/target.ts";
import { hasPython } from "../support/python.ts";
import { slurmMissing, useSlurm } from "../support/slurm.ts";
import {
  exitFile,
  slurmLog,
  slurmRun,
  until,
  untilStep,
  weightsOf,
  type SlurmRunOptions,
} from "../support/slurm-run.ts";
import { tinyText } from "../support/tiny.ts";

const over = ["done", "failed", "cancelled", "lost"];
const missing = slurmMissing();
if (!hasPython && process.env["CI"] !== undefined)
  throw new Error("the Python environment of the trainer is missing");

describe.skipIf(missing !== null || !hasPython)("Slurm", () => {
  const cluster = useSlurm();
  const target = slurmOver(cluster.transport);
  const root = mkdtempSync(join(tmpdir(), "cdr-runs-"));
  const project = join(root, `it's a "project"; $(touch pwned) 100%j`);
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const run = (name: string, options: SlurmRunOptions): RunSpec =>
    slurmRun(project, join(project, "runs", name), options);
  const send = (spec: RunSpec): Promise<Handle | Refusal> => target.submit(target.request(spec));
  const start = async (spec: RunSpec): Promise<Handle> => taken(await send(spec));
  const training = { step: "pretrain", steps: 200, checkpointEvery: 30 };
  const inputs = [{ name: "data", directory: join(project, "runs/corpus"), which: "result" }];
  const twoNodes = (name: string): RunSpec => run(name, { ...training, nodes: 2, processes: 2, inputs });

  beforeAll(() => {
    mkdirSync(join(project, "texts"), { recursive: true });
    writeFileSync(join(project, "texts/a.txt"), tinyText());
  });

  test("a step runs, with a secret that no file and no command line holds", async () => {
    process.env["CDR_TEST_TOKEN"] = "hunter2 'quoted'";
    const spec = run("corpus", { step: "corpus", env: { TOKEN: { secret: "CDR_TEST_TOKEN" } } });
    const request = target.request(spec);
    const handle = await slurmOver({
      ...cluster.transport,
      environment: () => ({ ...cluster.transport.environment(), CDR_TEST_TOKEN: "hunter2 'quoted'" }),
    })
      .submit(request)
      .then(taken);
    delete process.env["CDR_TEST_TOKEN"];
    expect(await until(target, handle, over), slurmLog(spec.directory)).toMatchObject({ state: "done" });
    expect(JSON.stringify(request)).not.toContain("hunter2");
    expect(await cluster.run("scontrol", "show", "job", jobOf(handle))).not.toContain("hunter2");
    for (const path of filesBelow(spec.directory)) expect(readFileSync(path, "utf8"), path).not.toContain("hunter2");
  });

  test("two nodes train together; requeued twice they end with the same weights", async () => {
    const whole = twoNodes("whole");
    expect(await until(target, await start(whole), over), slurmLog(whole.directory)).toMatchObject({ state: "done" });

    const broken = twoNodes("broken");
    const handle = await start(broken);
    await untilStep(broken.directory, 45);
    await cluster.run("scontrol", "requeue", jobOf(handle));
    expect(await until(target, handle, ["requeued", ...over])).toMatchObject({ state: "requeued" });

    await untilStep(broken.directory, 80);
    // What Slurm sends before the time limit, or to a job that is to be preempted.
    await cluster.run("scancel", "--batch", "--signal=USR1", jobOf(handle));
    const requeued = { state: "requeued", raw: expect.stringContaining("restart 2") };
    expect(await until(target, handle, ["requeued", ...over]), slurmLog(broken.directory)).toMatchObject(requeued);
    expect(exitFile(broken.directory, 1)).toMatchObject({ code: 80, state: "requeued" });

    expect(await until(target, handle, over), slurmLog(broken.directory)).toMatchObject({ state: "done" });
    expect(exitFile(broken.directory, 2)).toMatchObject({ state: "done" });
    expect(weightsOf(broken.directory)).toBe(weightsOf(whole.directory));
  });

  test("a user's stop saves, and the job stays out of the queue", async () => {
    const spec = run("saved", { ...training, inputs });
    const handle = await start(spec);
    await untilStep(spec.directory, 5);
    await target.signal(handle, "save", spec.directory);
    expect(await until(target, handle, ["requeued", ...over])).toMatchObject({ state: "cancelled" });
    expect(exitFile(spec.directory, 0)).toMatchObject({ code: 80, state: "cancelled" });
    expect(readdirSync(join(spec.directory, "checkpoints"))).not.toEqual([]);
  });

  test("the rank that failed first is named, on whichever node it ran", async () => {
    const spec = twoNodes("crashed");
    const handle = await start(spec);
    await untilStep(spec.directory, 3);
    const ranks = processesWith("cdr_trainer.train", spec.directory, "--node-rank 1");
    expect(ranks).not.toEqual([]);
    for (const rank of ranks) process.kill(rank, "SIGKILL");
    expect(await until(target, handle, ["requeued", ...over])).toMatchObject({ state: "failed" });
    const reason = expect.stringMatching(/^node 1 \(n2\): rank 1 was killed/);
    expect(exitFile(spec.directory, 0), slurmLog(spec.directory)).toMatchObject({ state: "failed", reason });
  });

  test("killed, it is cancelled", async () => {
    const spec = twoNodes("killed");
    const handle = await start(spec);
    await until(target, handle, ["running"]);
    await target.signal(handle, "kill", spec.directory);
    expect(await until(target, handle, ["requeued", ...over])).toMatchObject({ state: "cancelled" });
  });

  test("a step waits for another, and is cancelled with it", async () => {
    const held = run("held", { step: "corpus", slurm: { raw: { hold: true } } });
    const first = await start(held);
    expect((await target.poll([first])).get(first)).toMatchObject({
      state: "queued",
      reason: expect.stringContaining("scontrol release"),
    });
    const second = await start({ ...run("waits", { step: "corpus" }), after: [first] });
    expect(await until(target, second, ["queued"])).toMatchObject({ raw: expect.stringContaining("PENDING") });
    await target.signal(first, "save", held.directory);
    expect(await until(target, first, over)).toMatchObject({ state: "cancelled" });
    expect(await until(target, second, over)).toMatchObject({
      state: "cancelled",
      reason: "an earlier step failed",
    });
  });

  test("a refusal is said in Slurm's words", async () => {
    const spec = run("refused", { step: "corpus", slurm: { partition: "nope" } });
    const refused = await send(spec);
    expect(refused).toMatchObject({ advice: expect.stringContaining("`partition`") });
    expect(refused).toMatchObject({
      message: expect.stringMatching(/invalid partition specified: nope[^]*main \(default\)/),
    });
    const greedy = run("greedy", { step: "corpus", slurm: { memory: 1e15 } });
    const message = expect.stringContaining("Memory specification can not be satisfied");
    expect(await send(greedy)).toMatchObject({ message });
    expect(existsSync(join(spec.directory, "slurm", "a0.sbatch"))).toBe(false);
  });

  test("options whose values need quotes arrive as they are", async () => {
    const comment = `it's "quoted"; $(touch pwned) #1`;
    const handle = await start(run("quoted", { step: "corpus", slurm: { raw: { comment, hold: true } } }));
    expect(await cluster.run("squeue", "--noheader", "--jobs", jobOf(handle), "--format=%k")).toBe(comment);
    await target.signal(handle, "kill", join(project, "runs/quoted"));
  });

  test("what Slurm has forgotten and no account holds is lost, which ends nothing that left a result", async () => {
    const handle: Handle = { target: "slurm", job: "999999", cluster: null };
    expect((await target.poll([handle])).get(handle)).toMatchObject({ state: "lost" });
  });
});

function taken(answer: Handle | Refusal): Handle {
  if (isRefusal(answer)) throw new Error(answer.message);
  return answer;
}

function filesBelow(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  return names.map((name) => join(directory, name)).filter((path) => statSync(path).isFile());
}

function jobOf(handle: Handle): string {
  return handle.target === "slurm" ? handle.job : "";
}

function processesWith(...words: readonly string[]): number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const line = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
      return words.every((word) => line.includes(word)) && !line.includes("torchrun") ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}
