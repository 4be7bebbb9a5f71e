/** What we say of sbatch's options, the real one says too. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { slurmMissing, useSlurm } from "../support/slurm.ts";
import { refusedDirectives, takenDirectives, withDirective } from "../support/slurm-values.ts";

/** What a cluster has not got is none of the options' faults. */
const cluster = /Requested node configuration|Invalid node name|Invalid feature|Invalid partition name/;

describe.skipIf(slurmMissing() !== null)("sbatch", () => {
  const { transport } = useSlurm();
  const script = join(mkdtempSync(join(tmpdir(), "cdr-directive-")), "job.sbatch");
  const refuses = async (directive: string): Promise<boolean> => {
    writeFileSync(script, withDirective(directive));
    const { code, stderr } = await transport.run(["sbatch", "--test-only", script]);
    return code !== 0 && !cluster.test(stderr);
  };

  it("takes what we take and refuses what we refuse", async () => {
    const wrong: string[] = [];
    for (const each of takenDirectives) if (await refuses(each)) wrong.push(`refuses ${each}`);
    for (const each of refusedDirectives) if (!(await refuses(each))) wrong.push(`takes ${each}`);
    expect(wrong).toEqual([]);
  });
});
