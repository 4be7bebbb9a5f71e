/** A launch whose files name a release of Megatron comes back for that release. */
import { expect, it } from "vitest";
import { importLaunch } from "../../../compiler/import/import.ts";

const start =
  "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 4 --hidden-size 256 --num-attention-heads 8 --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 --global-batch-size 64 --train-iters 1000 --lr 1e-4 --bf16 --mock-data --tokenizer-type NullTokenizer --vocab-size 1000";

it.each([
  ["pip install megatron-core==0.15.3", 'megatron(version = "0.15")'],
  ["git clone -b core_v0.12.0 https://github.com/NVIDIA/Megatron-LM", 'megatron(version = "0.12")'],
  ["pip install megatron-core==0.19.2", 'megatron(version = "0.19")'],
  ["true", "= megatron\n"],
])("%s", (named, engine) => {
  const { text, changed, diagnostics } = importLaunch(
    [{ path: "run.sh", text: `${named}\n${start}\n` }],
    { supplied: { world: null, gpusPerNode: null, gpu: "h100" }, launch: null },
    () => undefined,
  );
  expect(text).toContain(engine);
  expect(changed).toEqual([]);
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
});
