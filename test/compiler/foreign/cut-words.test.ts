/** An unclosed quote is one error: what it swallows is unknown, and nothing is said to be missing. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

const errorsOf = (text: string): readonly string[] =>
  checkForeign([{ path: "run.sh", text }], { world: null, gpusPerNode: null, gpu: "h100" }, () => undefined)
    .diagnostics.filter(({ severity }) => severity === "error" || severity === "warning")
    .map(({ code }) => code);

it.each([
  'torchrun --nproc_per_node 8 pretrain_gpt.py "--num-layers 2\n',
  "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers '2 --hidden-size 64\n",
  'torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 --lr "1e-4 --bf16\n--train-iters 10\n',
  'torchrun --nproc_per_node "8 pretrain_gpt.py --num-layers 2\n',
])("%j", (text) => {
  expect(errorsOf(text)).toEqual(["cdr/foreign-shell"]);
});

it("what stands before it is judged", () => {
  const text =
    'torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 --fp16 --bf16 --tensor-model-parallel-size 3 --lr "1e-4\n';
  expect(errorsOf(text)).toContain("cdr/foreign-shell");
  expect(errorsOf(text).length).toBeGreaterThan(1);
});
