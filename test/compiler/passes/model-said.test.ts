/** What a model says that no model can be, or that nothing carries out. */
import { expect, it } from "vitest";
import { compileText } from "../../support/probes.ts";

const told = (model: string, stage = "", price = "2 usd/gpu/h") =>
  compileText(`import "std/clusters" { dgx_h100 }
cluster pod extends dgx_h100 { nodes = 1, price = ${price} }
data corpus { from = "corpus.txt" }
model m { ${model}, context = 1024 tokens }
stage s { model = m, data = corpus, length = 100 steps, batch = 64 samples, optimizer = adamw(lr = 1e-4)${stage} }
launch here on pod { target = slurm(partition = "g") }`)
    .diagnostics.filter(({ severity }) => severity !== "info")
    .map(({ severity, code, message }) => `${severity} ${code}: ${message}`);

const lora = "adapters = lora(rank = 8, alpha = 16)";

it.each([
  ["family = mamba2, layers = 4, d_model = 256, ssm { expand = 0 }", /^error cdr\/value-range: .* more than 0$/],
  ['family = nemotron_h, d_model = 256, heads = 4, pattern = ""', /^error cdr\/type-mismatch: .* a letter for each/],
  [
    `family = llama, layers = 4, d_model = 256, heads = 4, ${lora}`,
    /^warning cdr\/adapters-of-model: stage `s` trains/,
  ],
])("%s", (model, message) => {
  expect(told(model)).toEqual([expect.stringMatching(message)]);
});

it("says nothing of a model's adapters where the stage has its own", () => {
  const published = 'family = llama, layers = 4, d_model = 256, heads = 4, from = "hf://a/b"';
  expect(told(`${published}, ${lora}`, `, ${lora}`)).toEqual([]);
});

it.each(["0 usd/gpu/h", "1e-300 usd/gpu/h"])("refuses a size for a cost at a price of %s", (price) => {
  expect(told("family = llama, size = auto(cost = 1000 usd, on = pod)", "", price)).toEqual([
    expect.stringMatching(/^error cdr\/size-budget: `cost` is no limit/),
  ]);
});
