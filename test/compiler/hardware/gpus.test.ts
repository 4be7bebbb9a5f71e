/** The table of devices: figures that belong together, and clusters that are made of them. */
import { describe, expect, it } from "vitest";
import { hasBlockScales } from "../../../compiler/engines/megatron/narrow.ts";
import { architectureOf } from "../../../compiler/foreign/known/gpus.ts";
import { gpus } from "../../../compiler/hardware/gpus.ts";
import { standardLibrary } from "../../../compiler/std/index.ts";
import { clusterOf } from "../../../compiler/import/place.ts";
import { compileText } from "../../support/probes.ts";

describe("a device", () => {
  it.each(gpus.map((gpu) => [gpu.name, gpu] as const))("%s has figures that belong together", (_, gpu) => {
    const { fp32, bf16, fp16, fp8, fp4 } = gpu.flops;
    expect([0, fp16]).toContain(bf16);
    if (fp8 !== undefined) expect(fp8 / fp16).toBeCloseTo(2, 1);
    if (fp4 !== undefined) expect(fp4 / (fp8 ?? Number.NaN)).toBeGreaterThanOrEqual(1.9);
    // Units for matrices multiply faster than those for single numbers, and a byte is read for some hundred operations.
    expect(fp16).toBeGreaterThan(1.9 * fp32);
    expect(fp16 / gpu.bandwidth).toBeGreaterThan(30);
    expect(fp16 / gpu.bandwidth).toBeLessThan(500);
    expect(gpu.source).toMatch(/\b20\d\d\b|white paper/);
  });

  it("of another vendor than NVIDIA has no compute capability, all others have", () => {
    const unknown = gpus.filter(({ name }) => architectureOf(name) === null).map(({ name }) => name);
    expect(unknown).toEqual(["mi300x", "mi325x", "mi355x"]);
  });

  it("scales blocks itself from Blackwell on, but not on desks", () => {
    const able = gpus.filter(hasBlockScales).map(({ name }) => name);
    expect(able).toEqual(["b200", "gb200", "b300", "gb300", "mi355x"]);
  });
});

describe("a cluster of the library", () => {
  const names = [...(standardLibrary.read("std/clusters") ?? "").matchAll(/^cluster (\w+)/gm)].map(
    ([, name]) => name,
  );

  it.each(names)("%s says what joins its devices and its nodes", (name) => {
    const { diagnostics, plan } = compileText(`import "std/clusters" { ${name} }
data web { from = "c/*.txt", tokenizer = bytes }
model m { family = llama, layers = 2, d_model = 256, heads = 4, context = 256 tokens }
stage s { model = m, data = web, length = 100 steps, batch = 1152 samples, optimizer = adamw(lr = 1e-4) }
launch l on ${name} { target = slurm(partition = "g") }`);
    expect(diagnostics.filter(({ severity }) => severity !== "info").map(({ message }) => message)).toEqual([]);
    expect(plan.stages).toHaveLength(1);
  });

  it.each([
    ["B300", "dgx_b300"],
    ["b200", "dgx_b200"],
    ["NVIDIA-H20", "hgx_h20"],
    ["h200", "dgx_h200"],
    ["rtx5090", "workstation_5090"],
    ["MI355X", "mi355x_node"],
  ])("stands for %s in what is imported", (gpu, name) => {
    expect(clusterOf(gpu)).toMatchObject({ cluster: name, isKnown: true });
  });
});
