/** Branches that nobody can decide: what every way through them has is certain, what one of them has is not. */
import { describe, expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const model =
  "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096";
const rest = "--micro-batch-size 1 --global-batch-size 64 --train-iters 10 --lr 1e-4 --mock-data --bf16";
const start = (words: string): string => `torchrun --nproc-per-node 8 pretrain_gpt.py ${words}\n`;

const found = (text: string): readonly string[] =>
  toldOf({ "run.sh": `export CUDA_DEVICE_MAX_CONNECTIONS=1\n${text}` }, { gpu: "h100" })
    .filter(({ severity }) => severity !== "info")
    .map(({ code }) => code.replace("cdr/megatron-", ""))
    .toSorted();

const wrong = ["heads-tensor-parallel", "mlp-tensor-parallel", "world-size"];

/** Ways to add what only logs. */
const additions: readonly (readonly [string, string])[] = [
  ["if", 'if [ -n "$KEY" ]; then A="$A --log-throughput"; fi'],
  ["prepended", 'if [ -n "$KEY" ]; then A="--log-throughput $A"; fi'],
  ["the other way round", 'if [ -z "$KEY" ]; then :; else A="$A --log-throughput"; fi'],
  ["and", '[ -n "$KEY" ] && A="$A --log-throughput"'],
  ["or", '[ -z "$KEY" ] || A+=" --log-throughput"'],
  ["case", 'case "$KEY" in a) A="$A --log-throughput";; b) A="$A --log-progress";; esac'],
  ["several", 'if [ -n "$KEY" ]; then A="$A --log-throughput"; fi\nif [ -d /x ]; then A="$A --load /x"; fi'],
  ["a way that ends", 'if [ -d /data ]; then A="$A --log-throughput"; else echo none; exit 1; fi'],
  ["an own variable", 'B=\nif [ -n "$KEY" ]; then B="--log-throughput"; fi\nA="$A $B"'],
];

describe("what stands on every way", () => {
  it.each(additions)("%s", (_, addition) => {
    const script = (tensor: number): string =>
      `A="${model} ${rest} --tensor-model-parallel-size ${tensor}"\n${addition}\n${start("$A")}`;
    expect(found(script(3))).toEqual(wrong);
    expect(found(script(4))).toEqual([]);
  });

  it("in an array", () => {
    const script = (tensor: number): string =>
      `A=(${model} ${rest} --tensor-model-parallel-size ${tensor})\nif [ "$USE" = 1 ]; then A+=(--log-throughput); fi\n${start('"${A[@]}"')}`;
    expect(found(script(3))).toEqual(wrong);
    expect(found(script(4))).toEqual([]);
  });
});

describe("what stands on one way alone", () => {
  it.each([
    ["is not taken as there", "--tensor-model-parallel-size 4", 'A="$A --pipeline-model-parallel-size 3"'],
    [
      "is not taken as absent",
      "--tensor-model-parallel-size 4 --group-query-attention",
      'A="$A --num-query-groups 8"',
    ],
    ["replaces what stood before", "--tensor-model-parallel-size 3", 'A="$A --tensor-model-parallel-size 4"'],
  ])("%s", (_, before, addition) => {
    for (const condition of ['if [ -n "$X" ]; then ADD; fi', '[ -n "$X" ] && ADD', '[ -n "$X" ] || ADD'])
      expect(found(`A="${model} ${rest} ${before}"\n${condition.replace("ADD", addition)}\n${start("$A")}`)).toEqual(
        [],
      );
  });

  it("counts where a branch is sure", () => {
    const A = `A="${model} ${rest} --tensor-model-parallel-size 4"`;
    const add = 'A="$A --pipeline-model-parallel-size 3"';
    expect(found(`${A}\nX=1\nif [ -n "$X" ]; then ${add}; fi\n${start("$A")}`)).toContain("world-size");
  });
});
