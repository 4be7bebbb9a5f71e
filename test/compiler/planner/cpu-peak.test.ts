/** A utilisation is of what a core can do at all. */
import { expect, it } from "vitest";
import { compileText } from "../../support/probes.ts";

const utilisation = (calibration: string): number =>
  compileText(`import "std/gpus" { cpu }
data web { from = "c/*.txt", tokenizer = bytes }
model m { family = llama, layers = 2, d_model = 768, heads = 12, context = 256 tokens }
stage s { model = m, data = web, length = 100 steps, batch = 8 samples, optimizer = adamw(lr = 1e-4) }
cluster box { gpu = cpu, node { ram = 32 GB }, ${calibration} }
launch l on box { target = local }`).plan.stages[0]?.time.mfu ?? NaN;

it("stays below one on a core that measured faster than its data sheet", () => {
  expect(utilisation("")).toBeLessThan(1);
  const fast = utilisation(
    "calibration { fp32 = 900 GFLOPS, attention = 900 GFLOPS, kernels = 1 TB/s, optimizer = 1T params/s }",
  );
  expect(fast).toBeGreaterThan(0.3);
  expect(fast).toBeLessThan(1);
});
