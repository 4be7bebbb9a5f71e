/** Programs under Megatron's names, or with some of its arguments, that are not the Megatron of any release. */
import { describe, expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const told = (script: string) =>
  toldOf({ "run.sh": script })
    .filter(({ severity }) => severity !== "info")
    .map(({ severity, code, message }) => ({ severity, code, message }));
const shape = "--num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 8192 --micro-batch-size 1";
const rest = "--max-position-embeddings 8192 --lr 1e-4 --train-iters 100 --bf16";
const start = "torchrun --nproc_per_node 8";

describe("a Megatron that is none of the releases", () => {
  it("is told once, with arguments that no release takes", () => {
    const own = "--attention-head-type multiquery --structured-logs --structured-logs-dir l --valid-num-workers 0";
    const found = told(`${start} pretrain_gpt.py ${shape} ${rest} ${own} --tokenizer-type TokenizerFromFile\n`);
    expect(found.map(({ severity, code }) => `${severity} ${code}`)).toEqual(["warning cdr/megatron-other"]);
    expect(found[0]?.message).toContain("--attention-head-type, --structured-logs");
  });
  it("is told once where it writes all names with underscores", () => {
    const found = told(`${start} pretrain_gpt.py ${`${shape} ${rest}`.replaceAll(/(?<=\w)-(?=\w)/g, "_")}\n`);
    expect(found.map(({ code }) => code)).toEqual(["cdr/megatron-other"]);
  });
  it("is no matter of a few arguments, each an error of its own", () => {
    const found = told(
      `${start} pretrain_gpt.py ${shape} ${rest} --valid-num-workers 0 --hiden-dropout 0 --clip_grad 1\n`,
    );
    const unrecognized = found.filter(({ code }) => code === "cdr/megatron-unrecognized");
    expect(unrecognized.map(({ severity }) => severity)).toEqual(["error", "error", "error"]);
  });
  it("is no matter of slips, as many as they are", () => {
    const slips = "--hiden-dropout 0 --atention-dropout 0 --clip_grad 1 --weight_decay 0.1 --log-intervall 1";
    const found = told(`${start} pretrain_gpt.py ${shape} ${rest} ${slips}\n`);
    expect(found.filter(({ code }) => code === "cdr/megatron-unrecognized")).toHaveLength(5);
  });
  it("leaves a trainer of its own alone that shares some names", () => {
    const own = "--precision bf16-mixed --num-gpus 8 --num-nodes 2 --num-steps 100 --max-seq-length 1024";
    const shared = "--micro-batch-size 2 --num-layers 33 --hidden-size 1280 --tensor-model-parallel-size 1";
    expect(told(`srun python3 train_esm2.py ${own} ${shared}\n`)).toEqual([]);
    expect(told(`srun python3 my_gpt.py ${shape} ${rest} --my-own 1 --tensor-model-parallel-size 3\n`)).not.toEqual(
      [],
    );
  });
});
