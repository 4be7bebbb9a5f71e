import { expect, it } from "vitest";
import { compileText } from "../../../support/probes.ts";

const stage = (said: string) =>
  compileText(`import "std/models" { llama3_8b }
import "std/clusters" { dgx_h100 }
data web { from = random(tokens = 100B tokens) }
model m extends llama3_8b { vocab = 32_000 }
cluster pod extends dgx_h100 { nodes = 4 }
launch hpc on pod { target = slurm() }
stage s { model = m, data = web, length = 1000 steps, context = 4096 tokens, engine = megatron, ${said} }
`);

const adamw = "optimizer = adamw(lr = 1e-4)";
const muon = "optimizer = muon(lr = 1e-4, others = adamw(lr = 1e-4))";

it("warns of stages that idle where somebody asked for them, and not of its own choice", () => {
  const idle = "cdr/megatron-pipeline-idle";
  const asked = stage(`batch = 4 samples, ${adamw}, layout { pipeline_parallel = 8 }`);
  expect(asked.diagnostics.map(({ code }) => code)).toContain(idle);
  const chosen = stage(`batch = 1 samples, ${adamw}`);
  expect(chosen.plan.stages[0]?.layout.pipeline_parallel).toBeGreaterThan(1);
  expect(chosen.diagnostics.map(({ code }) => code)).not.toContain(idle);
});

it("refuses to step anything but AdamW on the host, in the words of the stage", () => {
  const { diagnostics } = stage(`batch = 512 samples, ${muon}, layout { offload = optimizer }`);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([
    expect.objectContaining({ code: "cdr/engine-option", valid: ["none"] }),
  ]);
});
