import { expect, it } from "vitest";
import { compileText } from "../../support/probes.ts";

const timeOf = (precision: string, micro: number) => {
  const { plan } = compileText(`import "std/models" { llama3_8b }
import "std/clusters" { dgx_b200 }
data web { from = random(tokens = 100B tokens) }
model m extends llama3_8b { vocab = 32_000 }
cluster pod extends dgx_b200 { nodes = 4 }
launch hpc on pod { target = slurm() }
stage s { model = m, data = web, length = 1000 steps, context = 4096 tokens, batch = 512 samples, engine = megatron
  optimizer = adamw(lr = 1e-4), precision = ${precision}
  layout { tensor_parallel = 2, pipeline_parallel = 2, micro_batch = ${micro} samples } }
`);
  return plan.stages[0]?.time ?? expect.fail("no plan");
};

it("shows what a device waits for its host apart from what it computes: narrow products gain nothing there", () => {
  const [wide, narrow] = [timeOf("bf16", 1), timeOf("fp8", 1)];
  const { compute = 0, host_launches: waited = 0 } = narrow.parts;
  expect(waited).toBeGreaterThan(0.1 * narrow.step);
  expect(compute).toBeLessThan(0.9 * (wide.parts["compute"] ?? 0));
  expect(compute + waited).toBeCloseTo((wide.parts["compute"] ?? 0) + (wide.parts["host_launches"] ?? 0), 1);
  expect(timeOf("bf16", 4).parts).not.toHaveProperty("host_launches");
});
