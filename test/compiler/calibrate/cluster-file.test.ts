import { describe, expect, test } from "vitest";
import { clusterFile, nameOf } from "../../../compiler/calibrate/cluster-file.ts";
import { startOf } from "../../../compiler/calibrate/start.ts";
import { engines } from "../../../compiler/engines/index.ts";
import { calibratedBy, calibrationOf } from "../../../compiler/planner/adapter/calibrated.ts";
import { constantsFor } from "../../../compiler/planner/adapter/constants.ts";
import { machineOf } from "../../../compiler/planner/adapter/machine.ts";
import { format } from "../../../dsl/format/format.ts";
import { cluster, device } from "../../support/pipeline.ts";
import { compileText } from "../../support/probes.ts";

const provenance = { day: "2026-11-21", runs: 5, by: "cdrc calibrate" };
const cpu = cluster({
  name: "my box",
  device: device("cpu"),
  gpusPerNode: 2,
  cores: 2,
  ram: 24 * 2 ** 30,
  price: null,
});
const owned = cluster({ name: "4 lab", device: { ...device("h100_sxm"), name: "lab_card" }, nodes: 3, price: 1.75 });

describe("a cluster with what was measured of it", () => {
  test.each([cpu, cluster(), owned])("is a file that says all of it again: $name", (spec) => {
    const calibration = { ...startOf(spec), time_error: 1.072, memory_error: 0.031 };
    const text = clusterFile(spec, calibration, provenance);
    expect(format({ path: "a.cdr", text })).toEqual({ text, diagnostics: [] });
    const { pipeline, diagnostics } = compileText(`${text}\nlaunch here on ${nameOf(spec)} { target = slurm }\n`);
    expect(diagnostics.map(({ message }) => message)).toEqual([]);
    const { cluster: read } = pipeline.launch;
    expect([read.nodes, read.gpusPerNode, read.cores]).toEqual([spec.nodes, spec.gpusPerNode, spec.cores]);
    expect(read.price === null ? null : Number(read.price.toFixed(6))).toBe(spec.price);
    expect(read.device.flops.fp32).toBeCloseTo(spec.device.flops.fp32, -7);
    const ofCores = new Set(["resident", "heap", "fork"]);
    for (const [name, value] of Object.entries(calibration)) {
      if (spec.device.kind === "gpu" && ofCores.has(name)) continue;
      const again = read.calibration?.[name as keyof typeof calibration] ?? 0;
      expect(Math.abs(again / (value ?? 1) - 1), name).toBeLessThan(0.02);
    }
  });

  test("narrows the interval of a plan, and a block that says half says that half", () => {
    const stage = `
data text { from = "corpus.txt", tokenizer = bytes }
model tiny { family = llama, layers = 4, d_model = 128, heads = 4, context = 64 tokens }
stage pretrain { model = tiny, data = text, length = 10 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
import "std/gpus" { cpu }
`;
    const of = (block: string) =>
      compileText(`${stage}cluster box { gpu = cpu, node { gpus = 1, cpu = 2 cores }, ${block} }
launch here on box { target = local }`).plan.stages[0];
    const [plain, half, whole] = [
      of(""),
      of("calibration { layer = 50 ms }"),
      of("calibration { time_error = 7%, memory_error = 9%, resident = 2 GiB }"),
    ];
    expect([plain?.time.error, plain?.memory.error]).toEqual([null, 0.1]);
    expect(half?.time.parts["compute"] ?? 0).toBeGreaterThan(4 * 0.05);
    expect([whole?.time.error, whole?.memory.error]).toEqual([0.07, 0.09]);
    expect(whole?.memory.peak ?? 0).toBeGreaterThan(2 * 2 ** 30);
    expect(JSON.stringify(whole?.origins["time.step"])).toContain("calibration of cluster box");
  });

  test("no interval is narrower than runs differ, whatever a block says", () => {
    const errors = (gpu: string) => {
      const { plan } = compileText(`import "std/gpus" { ${gpu} }
data text { from = "corpus.txt", tokenizer = bytes }
model tiny { family = llama, layers = 4, d_model = 128, heads = 4, context = 64 tokens }
stage pretrain { model = tiny, data = text, length = 10 steps, batch = 8 samples, optimizer = adamw(lr = 1e-3) }
cluster box { gpu = ${gpu}, calibration { time_error = 0%, memory_error = 0% } }
launch here on box { target = local }`);
      return [plan.stages[0]?.time.error, plan.stages[0]?.memory.error];
    };
    expect(errors("cpu")).toEqual([0.03, 0.066]);
    expect(errors("rtx_4090")[0]).toBeCloseTo(0.03, 8);
  });

  test("a figure in the wrong unit is a mistake of the file", () => {
    const { diagnostics } = compileText(`import "std/gpus" { cpu }
cluster box { gpu = cpu, calibration { layer = 50 GB, nonsense = 3 } }
launch here on box { target = local }`);
    expect(diagnostics.map(({ code }) => code).sort()).toEqual(["cdr/property-unknown", "cdr/unit-mismatch"]);
  });

  test("on GPUs the figures are the physics' constants in other words", () => {
    const on = cluster();
    const machine = machineOf(on, false);
    const { constants } = constantsFor(engines.torch.measured, on);
    const again = calibratedBy(constants, machine, "bf16", calibrationOf(constants, machine));
    for (const [name, value] of Object.entries(constants)) expect(again[name], name).toBeCloseTo(value, 9);
    const faster = calibratedBy(constants, machine, "bf16", { bf16: 0.9 * machine.flops.bf16, time_error: 0.05 });
    expect(faster.products).toBeCloseTo(0.9);
    expect(Math.sinh(faster.time_interval)).toBeCloseTo(0.05);
  });
});
