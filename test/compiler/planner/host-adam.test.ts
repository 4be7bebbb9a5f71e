import { expect, it } from "vitest";
import { hostAdamRate } from "../../../compiler/planner/host-adam.ts";
import { compileText } from "../../support/probes.ts";

it("is limited by the host's memory where it has cores for it, and by few cores before", () => {
  expect(hostAdamRate({ cores: null })).toEqual(hostAdamRate({ cores: 128 }));
  expect(hostAdamRate({ cores: 4 })).toEqual({ rate: 40e9, limit: "cores" });
  expect(hostAdamRate({ cores: 48 }).limit).toBe("memory");
});

it("is what a plan with an offloaded optimizer waits for", () => {
  const updated = (cores: number): number =>
    compileText(`import "std/gpus" { rtx_4090 }
import "std/models" { llama2_7b }
data web { from = "x.jsonl", tokenizer = bytes, tokens = 1B tokens }
model m extends llama2_7b {}
cluster pod { gpu = rtx_4090, link = 32 GB/s, node { gpus = 1, cpu = ${cores}, ram = 256 GB } }
stage s { model = m, data = web, context = 1024 tokens, length = 1B tokens, batch = 64 samples, engine = deepspeed
  optimizer = adamw(lr = 3e-4), layout { offload = optimizer } }
launch hpc on pod { target = slurm() }
`).plan.stages[0]?.time.parts["optimizer"] ?? 0;
  expect(updated(4) / updated(128)).toBeCloseTo(2.5, 5);
});
