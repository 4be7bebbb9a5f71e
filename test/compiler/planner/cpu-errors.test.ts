/** What a calibration says of its errors holds for the families that it trained. */
import { expect, it } from "vitest";
import { compileText } from "../../support/probes.ts";

const errors = (family: string, calibration: string) => {
  const { plan } = compileText(`import "std/gpus" { cpu }
data web { from = "c/*.txt", tokenizer = bytes }
model m { family = ${family}, layers = 4, d_model = 256, heads = 4, context = 256 tokens }
stage s { model = m, data = web, length = 100 steps, batch = 8 samples, optimizer = adamw(lr = 1e-4) }
cluster box { gpu = cpu, node { ram = 32 GB }, ${calibration} }
launch l on box { target = local }`);
  const [stage] = plan.stages;
  const origin = stage?.origins["memory.error"];
  return {
    memory: stage?.memory.error,
    time: stage?.time.error,
    rule: origin?.kind === "derived" ? origin.rule : "",
  };
};

const calibrated = "calibration { time_error = 8%, memory_error = 7% }";

it("is narrower than without one for those alone", () => {
  expect(errors("llama", calibrated)).toMatchObject({ memory: 0.07, time: 0.08 });
  expect(errors("gemma3", calibrated)).toMatchObject({ memory: 0.1, time: 0.25 });
  expect(errors("gemma3", calibrated).rule).toContain("no calibration trains gemma3");
});

it("is never narrower for others than the calibration says itself", () => {
  const wild = "calibration { time_error = 40%, memory_error = 30% }";
  expect(errors("gemma3", wild)).toMatchObject({ memory: 0.3, time: 0.4 });
});

it("is a guess of memory alone where nothing was measured", () => {
  expect(errors("llama", "")).toMatchObject({ memory: 0.1, time: null });
});
