import { expect, it } from "vitest";
import { hostAdamRate } from "../../../compiler/planner/host-adam.ts";
import { compileText } from "../../support/probes.ts";

it("is limited by the host's memory where it has cores for it, and by few cores before", () => {
  expect(hostAdamRate({ cores: null })).toEqual(hostAdamRate({ cores: 128 }));
  expect(hostAdamRate({ cores: 4 })).toEqual({ rate: 40e9, limit: "cores" });
  expect(hostAdamRate({ cores: 48 }).limit).toBe("memory");
});

const planned = (optimizer: string, cores = 128) =>
  compileText(`import "std/gpus" { rtx_4090 }
import "std/models" { llama2_7b }
data web { from = "x.jsonl", tokenizer = bytes, tokens = 1B tokens }
model m extends llama2_7b {}
cluster pod { gpu = rtx_4090, link = 32 GB/s, node { gpus = 1, cpu = ${cores}, ram = 256 GB } }
stage s { model = m, data = web, context = 1024 tokens, length = 1B tokens, batch = 64 samples, engine = deepspeed
  optimizer = ${optimizer}, layout { offload = optimizer } }
launch hpc on pod { target = slurm() }
`);
const stageOf = (optimizer: string, cores?: number) =>
  planned(optimizer, cores).plan.stages[0] ?? expect.fail("no plan");

it("is what a plan with an offloaded optimizer waits for", () => {
  const updated = (cores: number): number => stageOf("adamw(lr = 3e-4)", cores).time.parts["optimizer"] ?? 0;
  expect(updated(4) / updated(128)).toBeCloseTo(2.5, 5);
});

it("reads, writes and holds the moments that the optimizer has", () => {
  const adam = stageOf("adamw(lr = 3e-4)");
  const parameters = adam.model.parameters.total;
  for (const [momentum, moments] of [
    [0.9, 4],
    [0, 0],
  ] as const) {
    const one = stageOf(`sgd(lr = 3e-4, momentum = ${momentum})`);
    const share = (one.time.parts["optimizer"] ?? 0) / (adam.time.parts["optimizer"] ?? 0);
    expect(share).toBeCloseTo((12 + 2 * moments) / 28, 5);
    expect((adam.memory.host_peak - one.memory.host_peak) / parameters).toBeCloseTo(8 - moments, 5);
  }
});

it("keeps Muon's products on the device, and cannot step moments of eight bits", () => {
  const parts = (iterations: number): number =>
    stageOf(`muon(lr = 3e-4, iterations = ${iterations}, others = adamw(lr = 3e-4))`).time.parts["optimizer"] ?? 0;
  expect(parts(10)).toBeGreaterThan(parts(5));
  expect(planned("adam8bit(lr = 3e-4)").diagnostics).toContainEqual(
    expect.objectContaining({ code: "cdr/engine-option", severity: "error", valid: ["none"] }),
  );
});
