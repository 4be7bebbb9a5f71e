/** A Slurm with accounts: jobs that the controller has forgotten are known to `sacct`. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { slurmOver } from "../../runtime/submit/slurm/slurm.ts";
import type { Handle } from "../../runtime/target.ts";
import { slurmMissing, useSlurm } from "../support/slurm.ts";
import { until } from "../support/slurm-run.ts";

const missing = slurmMissing({ accounting: true });

describe.skipIf(missing !== null)("Slurm with accounts", () => {
  const cluster = useSlurm({ accounting: true });
  const calls: string[] = [];
  // As if the controller had forgotten every job: it does so minutes after their end.
  const forgetful = slurmOver({
    ...cluster.transport,
    run: (words, place) => {
      calls.push(words[0] ?? "");
      if (words[0] !== "squeue") return cluster.transport.run(words, place);
      return Promise.resolve({ code: 1, stdout: "", stderr: "slurm_load_jobs error: Invalid job id specified" });
    },
  });
  const root = mkdtempSync(join(tmpdir(), "cdr-accounts-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test("ends are read from the accounts, all with one call", async () => {
    mkdirSync(join(root, "jobs"), { recursive: true });
    const codes = [0, 80, 65];
    const handles: Handle[] = [];
    for (const code of codes) {
      const script = join(root, "jobs", `${code}.sh`);
      writeFileSync(script, `#!/bin/bash\nexit ${code}\n`);
      const job = (await cluster.run("sbatch", "--parsable", "--output=/dev/null", script)).trim();
      handles.push({ target: "slurm", job, cluster: null });
    }
    const seen = await Promise.all(
      handles.map((handle) => until(forgetful, handle, ["done", "failed", "cancelled"])),
    );
    expect(seen.map(({ state }) => state)).toEqual(["done", "cancelled", "failed"]);
    expect(seen.at(-1)?.raw).toContain("exit 65:0");
    calls.length = 0;
    expect((await forgetful.poll(handles)).size).toBe(3);
    expect(calls).toEqual(["squeue", "sacct"]);
  });
});
