/** Programs of earlier releases of Megatron, some of whose arguments mean something else, or stand in a file. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const model = "--num-layers 12 --hidden-size 768 --num-attention-heads 12 --bf16 --lr 1e-4";

const errors = (program: string, more: string): readonly string[] =>
  toldOf({
    "run.sh": `pip install megatron-core==0.9.0\nexport CUDA_DEVICE_MAX_CONNECTIONS=1\ntorchrun --nproc-per-node 8 ${program} ${model} ${more}\n`,
  }).flatMap(({ code, severity }) => (severity === "error" ? [code] : []));

const retro = "--micro-batch-size 4 --retro-add-retriever --use-mcore-models --transformer-impl local";

it("Retro takes lengths and batches from its project", () => {
  expect(errors("pretrain_retro.py", `${retro} --retro-project-dir /p`)).toEqual([]);
  expect(errors("pretrain_retro.py", retro)).toContain("cdr/megatron-sequence-length");
  const wrong = `${retro} --retro-project-dir /p --tensor-model-parallel-size 3`;
  expect(errors("pretrain_retro.py", wrong)).toEqual(["cdr/megatron-world-size"]);
});

it("tasks evaluate in batches of their own", () => {
  const more =
    "--seq-length 512 --max-position-embeddings 512 --micro-batch-size 8 --eval-micro-batch-size 16 --epochs 80";
  const script = `export CUDA_DEVICE_MAX_CONNECTIONS=1\ntorchrun --nproc-per-node 8 tasks/main.py --task RET-FINETUNE-NQ ${model} ${more}\n`;
  expect(toldOf({ "run.sh": script }).filter(({ code }) => code === "cdr/megatron-evaluation-batch")).toEqual([]);
});
