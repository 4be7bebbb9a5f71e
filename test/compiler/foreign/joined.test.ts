/** Arrays within strings: joined where bash joins them, and words of their own where it keeps them apart. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

const found = (text: string): readonly string[] =>
  checkForeign(
    [{ path: "run.sh", text }],
    { world: null, gpusPerNode: null, gpu: "h100" },
    () => undefined,
  ).diagnostics.map(({ code, message }) => `${code} ${message}`);

const array = (layers: string): string =>
  `A=(--num-layers ${layers} --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 --max-position-embeddings 1024 ` +
  "--micro-batch-size 1 --lr 1e-4 --train-iters 10 --bf16 --mock-data --tokenizer-type NullTokenizer --vocab-size 100)\n";

it.each([
  'C="python pretrain_gpt.py ${A[@]}"\n$C',
  'C="python pretrain_gpt.py ${A[*]}"\n$C',
  "C=${A[@]}\npython pretrain_gpt.py $C",
  "C=${A[*]}\npython pretrain_gpt.py $C",
  'C="python pretrain_gpt.py ${A[@]} --seed 7"\nbash -c "$C"',
  'bash -c "python pretrain_gpt.py ${A[*]}"',
  'C="python pretrain_gpt.py ${A[@]}"\neval $C',
  'C="python pretrain_gpt.py ${A[@]}"\nsrun bash -c "RANK=\\$SLURM_PROCID $C"',
  'C="python pretrain_gpt.py ${A[@]}"\nssh host "$C"',
  'set -- "${A[@]}"\nC="python pretrain_gpt.py $*"\n$C',
  'python pretrain_gpt.py "${A[@]}"',
])("%s", (lines) => {
  expect(found(`${array("8")}${lines}\n`).filter((each) => each.startsWith("cdr/megatron"))).toEqual([]);
  expect(found(`${array("x")}${lines}\n`).some((each) => each.startsWith("cdr/megatron-value-type"))).toBe(true);
});

const processes = (lines: string): readonly string[] =>
  found(`#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --gpus-per-node=4\n${lines} train.py\n`).filter((each) =>
    each.startsWith("cdr/slurm-processes"),
  );

it("the first character of IFS stands between the elements of a starred array", () => {
  expect(processes('IFS=0\nN=(1 2)\ntorchrun --nproc-per-node "${N[*]}"').join()).toContain("102 processes");
  expect(processes('IFS=\nN=(1 2)\ntorchrun --nproc-per-node "${N[*]}"').join()).toContain("12 processes");
});

it("text around a list belongs to its first and its last word", () => {
  expect(processes('N=(node=1 --nproc-per-node=1)\ntorchrun "--nproc-per-${N[@]}2"').join()).toContain(
    "12 processes",
  );
  expect(processes('N=(--nnodes=1 --nproc-per-node=)\ntorchrun "${N[@]}8"').join()).toContain("8 processes");
});
