/** `cdrc calibrate` as people start it: the real measuring program, then real steps of the real trainer, on one process. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { cdrc } from "../support/cdrc.ts";
import { hasPython, python } from "../support/python.ts";

const pair = z.object({ estimated: z.number(), measured: z.number() });
const document = z.object({
  file: z.string(),
  cluster: z.literal("this_machine"),
  calibration: z.record(z.string(), z.number()),
  runs: z.array(z.object({ name: z.string(), step: pair, memory: pair })),
});

const folder = mkdtempSync(join(tmpdir(), "cdr-calibration-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe.runIf(hasPython)("this machine", () => {
  // A minute on idle cores, ten where everything else runs as well.
  test("is measured, and its figures plan runs that were left out", () => {
    const env = { CI: "true", XDG_STATE_HOME: join(folder, "state"), CDR_PYTHON: python(), CUDA_VISIBLE_DEVICES: "" };
    const { code, out, err } = cdrc(["calibrate", "--processes", "1", "--json"], { cwd: folder, env });
    expect(code, err).toBe(0);
    expect(err).toMatch(/measurements \d+\/\d+/);
    const { calibration, runs, file } = document.parse(JSON.parse(out));
    // From a wrist watch to a rack of cores.
    for (const rate of ["fp32", "bf16", "attention"]) expect(calibration[rate]).toBeGreaterThan(1e8);
    for (const rate of ["fp32", "bf16", "attention"]) expect(calibration[rate]).toBeLessThan(1e13);
    expect(calibration["resident"]).toBeGreaterThan(2e8);
    expect(runs).toHaveLength(4);
    for (const { name, memory } of runs)
      expect(Math.abs(memory.estimated / memory.measured - 1), name).toBeLessThan(0.15);
    expect(readFileSync(file, "utf8")).toContain("calibration {");
    const checked = cdrc(["check", file], { cwd: folder });
    expect(checked.code, checked.err).toBe(0);
    const probes = readdirSync(join(folder, "runs")).filter((name) => name.startsWith("calibrate_alone"));
    for (const probe of probes) {
      for (const id of readdirSync(join(folder, "runs", probe)))
        expect(readdirSync(join(folder, "runs", probe, id))).not.toContain("checkpoints");
    }
    expect(cdrc(["calibrate", "--processes", "1"], { cwd: folder, env })).toMatchObject({ code: 2 });
  }, 1_800_000);
});
