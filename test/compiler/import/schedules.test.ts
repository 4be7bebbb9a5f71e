/** Schedules of Megatron in the words of the language, there and back. */
import { expect, it } from "vitest";
import { importLaunch } from "../../../compiler/import/import.ts";
import { compileText } from "../../support/probes.ts";

const start =
  "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 4 --hidden-size 256 --num-attention-heads 8 --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 --global-batch-size 64 --train-iters 1000 --lr 1e-4 --bf16 --mock-data --tokenizer-type NullTokenizer --vocab-size 1000";

const importedFrom = (schedule: string): ReturnType<typeof importLaunch> =>
  importLaunch(
    [{ path: "run.sh", text: `${start} ${schedule}\n` }],
    { supplied: { world: null, gpusPerNode: null, gpu: "h100" }, launch: null },
    () => undefined,
  );

it("the root of the steps is Megatron's inverse-square-root", () => {
  const { text, changed } = importedFrom("--lr-decay-style inverse-square-root --lr-warmup-iters 100");
  expect(text).toContain("inverse_sqrt(warmup = 100 steps)");
  expect(changed).toEqual([]);
  const { unexecuted, diagnostics } = compileText(text ?? "");
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(unexecuted.steps.has("pretrain")).toBe(false);
});

it("an end that the language has no word for stays in Megatron's own", () => {
  const { text, changed } = importedFrom("--lr-decay-style inverse-square-root --lr-warmup-iters 100 --min-lr 1e-5");
  expect(text).not.toContain("inverse_sqrt(");
  expect(text).toMatch(/lr_decay_style += "inverse-square-root"/);
  expect(changed).toEqual([]);
});
