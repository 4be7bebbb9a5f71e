/** A mistake in Megatron's sizes is said once, with numbers that somebody wrote. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

const model =
  "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 " +
  "--global-batch-size 256 --train-iters 100 --lr 1e-4 --bf16 --mock-data --tokenizer-type NullTokenizer --vocab-size 50000";

function errors(args: string): readonly string[] {
  const text = `#!/bin/bash\nexport CUDA_DEVICE_MAX_CONNECTIONS=1\ntorchrun --nproc_per_node 8 pretrain_gpt.py ${model} ${args}\n`;
  const supplied = { world: null, gpusPerNode: null, gpu: null };
  return checkForeign([{ path: "run.sh", text }], supplied, () => undefined).diagnostics.flatMap(
    ({ severity, message }) => (severity === "error" ? [message] : []),
  );
}

it.each([3, 5, 6, 7])("chunks of %i layers that do not divide a stage", (chunk) => {
  expect(errors(`--pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage ${chunk}`)).toEqual([
    expect.stringMatching(`^16 layers .* chunks of ${chunk}$`),
  ]);
});

it("a number of chunks is judged where that is what stands", () => {
  expect(errors("--pipeline-model-parallel-size 2 --num-virtual-stages-per-pipeline-rank 5")).toEqual([
    "16 layers of a stage cannot be divided evenly into 5 chunks",
  ]);
  expect(errors("--pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 4")).toEqual([]);
});

it("all factors of a product are named", () => {
  const found = errors("--pipeline-model-parallel-size 4 --expert-tensor-parallel-num-weight-shards 64");
  expect(found.filter((message) => message.includes("ranks are not a multiple"))).toEqual([
    "8 ranks are not a multiple of expert-tensor 1 x expert 1 x pipeline 4 x weight shards 64 = 256",
  ]);
});
