/** What the engine would say of a stage names the properties that the file has. */
import { expect, it } from "vitest";
import { compile } from "../../../../compiler/compile.ts";
import type { Diagnostic } from "../../../../dsl/diagnostics/diagnostic.ts";
import { alone } from "../../../support/alone.ts";

const idle = "cdr/megatron-pipeline-idle";

function told(more: string): Diagnostic | undefined {
  const text = `import "std/clusters" { dgx_h100 }
model m { family = llama, layers = 32, d_model = 1024, context = 1024 tokens }
data corpus { from = python_stdlib, tokenizer = bytes }
stage s {
  model = m
  data = corpus
  engine = megatron
  length = 10 steps
  optimizer = adamw(lr = 1e-4)
  layout { pipeline_parallel = 8, micro_batch = 1 samples }
  ${more}
}
launch here on dgx_h100 { target = local }
`;
  return compile({ path: "main.cdr", text }, alone).diagnostics.find(({ code }) => code === idle);
}

it("where they decide an argument", () => {
  const found = told("batch = 4 samples");
  expect(found?.fix).toContain("Raise `batch`");
  expect(found?.fix).toContain("lower `micro_batch`");
  expect(found?.related.map(({ message }) => message)).toContain("`pipeline_parallel` is given here");
  expect(JSON.stringify([found?.message, found?.fix])).not.toContain("--");
});

it("and the engine's own words where the file has those", () => {
  const found = told("batch = 4 samples\n  raw megatron { global_batch_size = 4 }");
  expect(found?.fix).toContain("Raise --global-batch-size");
  expect(found?.fix).toContain("lower `micro_batch`");
});
