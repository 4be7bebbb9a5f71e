/** What a budget of money or hours pays for, beside what the plan of the same stage says that it takes. */
import { describe, expect, it } from "vitest";
import { compileText } from "../../support/probes.ts";

const rate = 2.5;

function hours(budget: string, engine: string, use = ""): { paid: number; steps: number; rule: string } {
  const { plan, diagnostics } = compileText(`import "std/clusters" { dgx_h100 }
data web { from = "c/*.txt", tokenizer = tiktoken("gpt2") }
cluster pod extends dgx_h100 { nodes = 2, price = ${rate} usd/gpu/h }
model m { family = llama, size = auto(${budget}, on = pod${use}), context = 2048 tokens }
stage s {
  model = m, data = web, engine = ${engine}, batch = 512 samples, optimizer = adamw(lr = 1e-4)
  length = m.parameters.total * 20 tokens/param
}
launch l on pod { target = slurm(partition = "g") }`);
  const [stage] = plan.stages;
  if (stage === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const origin = stage.origins["model.layers"];
  const rule = origin?.kind === "chosen" ? origin.reason : "";
  const [, paid = "0"] = /([\d.]+) device hours/.exec(rule) ?? [];
  return { paid: Number(paid), steps: stage.total.parts.steps * stage.layout.world, rule };
}

describe("a size for a budget", () => {
  it.each([
    ["cost = 200 usd", "deepspeed"],
    ["cost = 2000 usd", "torch"],
    ["cost = 20K usd", "megatron"],
    ["time = 24 h", "deepspeed"],
    ["gpu_hours = 1000 h", "megatron"],
  ])("%s on %s is what the plan takes", (budget, engine) => {
    const { paid, steps, rule } = hours(budget, engine);
    expect(rule).toContain("which the plan of its stage reaches");
    expect(steps / paid).toBeLessThan(1.06);
    expect(steps / paid).toBeGreaterThan(0.85);
  });

  it("takes the share of the peak that is written", () => {
    const { rule } = hours("cost = 200 usd", "deepspeed", ", use = 25%");
    expect(rule).toContain("at 25.0 % of 989.4 TFLOPS are");
  });
});
