import { expect, it } from "vitest";
import { plan } from "../../../compiler/passes/parallelize.ts";
import { cluster, device, given, modelRequest, pipeline, stage } from "../../support/pipeline.ts";

it("an alternative is said to be no faster only where it is not", () => {
  let faster = 0;
  for (const nodes of [1, 2, 8])
    for (const gpu of ["h100_sxm", "a100_80gb"])
      for (const engine of ["torch", "deepspeed", "megatron"] as const) {
        const model = modelRequest("llama", { layers: 32, d_model: 4096, kv_heads: 8, context: 4096 });
        const batch = given({ unit: "samples", value: 256 } as const);
        const step = stage(model, { engine: given(engine), sequence: given(4096), batch });
        const on = cluster({ nodes, gpusPerNode: 8, ram: 2 ** 41, device: device(gpu) });
        const [one] = plan(pipeline(step, on)).plan.stages;
        for (const { time, why_not } of one?.alternatives ?? []) {
          if (why_not.startsWith("no faster")) expect(time.step).toBeGreaterThanOrEqual(one?.time.step ?? 0);
          if (why_not.includes("% faster by the estimate")) expect(time.step).toBeLessThan(one?.time.step ?? 0);
          faster += Number(why_not.includes("% faster by the estimate"));
        }
      }
  expect(faster).toBeGreaterThan(0);
});
