/** Against a real Slurm that ends jobs the way most sites do: SIGTERM, some seconds, SIGKILL, and no signal before. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isRefusal } from "../../runtime/run/refusal.ts";
import { slurmOver } from "../../runtime/submit/slurm/slurm.ts";
import type { Handle, RunSpec } from "../../runtime/target.ts";
import { hasPython } from "../support/python.ts";
import { slurmMissing, useSlurm } from "../support/slurm.ts";
import { exitFile, slurmLog, slurmRun, until, untilStep, weightsOf } from "../support/slurm-run.ts";
import { tinyText } from "../support/tiny.ts";

const over = ["done", "failed", "cancelled", "lost"];

describe.skipIf(slurmMissing() !== null || !hasPython)("Slurm that preempts", () => {
  const cluster = useSlurm({ grace: 40 });
  const target = slurmOver(cluster.transport);
  const project = mkdtempSync(join(tmpdir(), "cdr-preempted-"));
  afterAll(() => rmSync(project, { recursive: true, force: true }));

  const training = (name: string): RunSpec =>
    slurmRun(project, join(project, "runs", name), {
      step: "pretrain",
      steps: 150,
      checkpointEvery: 100,
      nodes: 2,
      processes: 2,
      inputs: [{ name: "data", directory: join(project, "runs/corpus"), which: "result" }],
    });
  const start = async (spec: RunSpec): Promise<Handle> => {
    const answer = await target.submit(target.request(spec));
    if (isRefusal(answer)) throw new Error(answer.message);
    return answer;
  };
  const jobOf = (handle: Handle): string => (handle.target === "slurm" ? handle.job : "");

  beforeAll(async () => {
    mkdirSync(join(project, "texts"), { recursive: true });
    writeFileSync(join(project, "texts/a.txt"), tinyText());
    await until(target, await start(slurmRun(project, join(project, "runs/corpus"), { step: "corpus" })), over);
  });

  test("preempted with a grace time it saves, goes back to the queue, and ends with the same weights", async () => {
    const whole = training("whole");
    expect(await until(target, await start(whole), over), slurmLog(whole.directory)).toMatchObject({ state: "done" });

    const broken = training("broken");
    const handle = await start(broken);
    await untilStep(broken.directory, 20);
    const urgent = ["--partition=urgent", "--nodes=2", "--exclusive", "--output=/dev/null", "--wrap=sleep 3"];
    await cluster.run("sbatch", ...urgent);
    expect(await until(target, handle, ["requeued", ...over]), slurmLog(broken.directory)).toMatchObject({
      state: "requeued",
    });
    expect(exitFile(broken.directory, 0)).toMatchObject({ code: 80, state: "requeued" });
    expect(readdirSync(join(broken.directory, "checkpoints"))).toHaveLength(1);
    expect(await until(target, handle, over), slurmLog(broken.directory)).toMatchObject({ state: "done" });
    expect(weightsOf(broken.directory)).toBe(weightsOf(whole.directory));
  });

  test("scancel saves in the time that Slurm leaves, and stays cancelled", async () => {
    const spec = training("cancelled");
    const handle = await start(spec);
    await untilStep(spec.directory, 20);
    await cluster.run("scancel", jobOf(handle));
    expect(await until(target, handle, ["requeued", ...over])).toMatchObject({ state: "cancelled" });
    expect(exitFile(spec.directory, 0), slurmLog(spec.directory)).toMatchObject({ code: 80, state: "cancelled" });
    expect(readdirSync(join(spec.directory, "checkpoints"))).toHaveLength(1);
  });
});
