/** Devices that a launch shows its processes, and how many there must be. */
import { expect, it } from "vitest";
import { compile } from "../../../compiler/compile.ts";
import { alone } from "../../support/alone.ts";

const told = (launch: string): readonly string[] =>
  compile(
    {
      path: "main.cdr",
      text: `import "std/clusters" { dgx_h100, laptop }
model m { family = gpt2, layers = 2, d_model = 64, heads = 2, vocab = 257, context = 64 tokens }
data d { from = "x.txt", tokenizer = bytes }
stage s { model = m, data = d, length = 10 steps, batch = 64 samples, optimizer = adamw(lr = 1e-3) }
${launch}`,
    },
    alone,
  )
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code }) => code);

it.each([
  ['on dgx_h100 { env { CUDA_VISIBLE_DEVICES = "0" } }', ["cdr/launch-devices"]],
  ['on dgx_h100 { env { CUDA_VISIBLE_DEVICES = "" } }', ["cdr/launch-devices"]],
  ['on dgx_h100 { env { CUDA_VISIBLE_DEVICES = "0,1,2,-1,4,5,6,7" } }', ["cdr/launch-devices"]],
  ["on dgx_h100 { env { CUDA_VISIBLE_DEVICES = 0 } }", ["cdr/launch-devices"]],
  ['on dgx_h100 { env { CUDA_VISIBLE_DEVICES = "7, 6, 5, 4, 3, 2, 1, 0" } }', []],
  ['on dgx_h100 { target = local(processes = 1), env { CUDA_VISIBLE_DEVICES = "3" } }', []],
  ['on laptop { env { CUDA_VISIBLE_DEVICES = "" } }', []],
  ["on dgx_h100 { env { SLURM_NTASKS = 4 } }", ["cdr/launch-env-owned"]],
  ['on dgx_h100 { env { SLURM_CPU_BIND = "cores" } }', []],
])("a launch %s", (launch, codes) => {
  expect(told(`launch l ${launch}`)).toEqual(codes);
});
