import { describe, expect, test } from "vitest";
import { learn } from "../../../compiler/calibrate/learn.ts";
import { startOf } from "../../../compiler/calibrate/start.ts";
import type { Calibration } from "../../../compiler/calibration.ts";
import { errorsIn } from "../../../dsl/diagnostics/diagnostic.ts";
import { cluster, device } from "../../support/pipeline.ts";
import { observed, probesOn } from "../../support/probes.ts";

const machine = cluster({
  device: device("cpu"),
  gpusPerNode: 2,
  cores: 2,
  ram: 24 * 2 ** 30,
  link: 5e9,
  price: null,
});
const usual = startOf(machine);

/** A machine that is none like the usual one. */
const other: Calibration = {
  ...usual,
  fp32: usual.fp32 / 3,
  attention: usual.attention / 2,
  kernels: usual.kernels / 2.5,
  optimizer: usual.optimizer / 4,
  layer: usual.layer * 3,
  step: usual.step * 4,
  resident: usual.resident * 1.3,
};

describe("what runs say of their machine", () => {
  test("probes compile without a mistake, on one rank and on two", () => {
    for (const gpusPerNode of [1, 2]) {
      const { plan, diagnostics } = probesOn({ ...machine, gpusPerNode });
      expect(errorsIn(diagnostics)).toBe(0);
      expect(plan.stages.length).toBeGreaterThanOrEqual(2);
    }
  });

  test("estimates of runs that were left out come close, and the interval says so", () => {
    // A machine that was measured: rates of products are known before the runs.
    const start = { ...usual, fp32: other.fp32, attention: other.attention };
    const { judged, calibration } = learn(start, observed(machine, other));
    for (const { name, step, memory } of judged) {
      expect(Math.abs(step.estimated / step.measured - 1), name).toBeLessThan(0.15);
      expect(Math.abs((memory?.estimated ?? 0) / (memory?.measured ?? 1) - 1), name).toBeLessThan(0.1);
    }
    expect(calibration.time_error).toBeLessThan(0.15);
    expect(calibration.memory_error).toBeLessThan(0.1);
  });

  test("no peak is surer than runs that are unlike the probes were", () => {
    expect(learn(usual, observed(machine, usual)).calibration.memory_error).toBe(0.066);
  });

  test("runs that disagree widen the interval", () => {
    const steady = learn(usual, observed(machine, usual)).calibration;
    const wild = learn(
      usual,
      observed(machine, usual, (index) => (index % 2 === 0 ? 1.35 : 0.7)),
    ).calibration;
    expect(wild.time_error ?? 0).toBeGreaterThan(2 * (steady.time_error ?? 1));
  });

  test("one run alone moves the figures and promises little", () => {
    const [one] = observed(machine, other);
    const { calibration, judged } = learn(usual, one === undefined ? [] : [one]);
    expect(judged).toHaveLength(1);
    expect(calibration.layer).toBeGreaterThan(usual.layer);
    expect(calibration.time_error).toBe(0.25);
  });

  test("figures that no run says anything about stay, and are named", () => {
    const alone = observed({ ...machine, gpusPerNode: 1 }, other);
    const { calibration, untouched } = learn(usual, alone);
    expect(untouched).toEqual(expect.arrayContaining(["bf16", "link", "latency"]));
    expect(untouched).not.toContain("layer");
    expect([calibration.link, calibration.latency, calibration.bf16]).toEqual([
      usual.link,
      usual.latency,
      usual.bf16,
    ]);
  });
});
