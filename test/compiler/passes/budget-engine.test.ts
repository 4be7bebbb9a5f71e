/** Where a stage passes its limits with the engine that it names, what another one would take. */
import { expect, it } from "vitest";
import { compileText } from "../../support/probes.ts";

const told = (stage: string) => {
  const { diagnostics } = compileText(`import "std/clusters" { dgx_h100 }
data web { from = "c/*.txt", tokenizer = bytes }
model m { family = llama, layers = 32, d_model = 4096, heads = 32, vocab = 32000, context = 4096 tokens }
stage s { model = m, data = web, length = 20B tokens, batch = 512 samples, optimizer = adamw(lr = 1e-4), ${stage} }
cluster pod extends dgx_h100 { nodes = 16, price = 2 usd/gpu/h }
launch l on pod { target = slurm(partition = "g") }`);
  return diagnostics.find(({ code }) => code === "cdr/budget-exceeded");
};

it("offers the engine that stays within them", () => {
  const found = told("engine = torch, time <= 4.5 h");
  expect(found?.fixes.map(({ title }) => title)).toEqual([
    expect.stringMatching(/^write `engine = megatron`, which would take 4\.\d+ h and \d+ usd$/),
  ]);
  expect(found?.fixes[0]?.edits.map(({ newText }) => newText)).toEqual(["megatron"]);
});

it("offers none where none does, and no more devices for a cost", () => {
  expect(told("engine = torch, time <= 1 h")?.fixes).toEqual([]);
  const dear = told("engine = torch, cost <= 10 usd");
  expect(dear?.fixes).toEqual([]);
  expect(dear?.fix).toMatch(/cheaper devices.*more devices/);
});
