/** Options that a script takes: what it has without them is judged, and what it has nothing for is unknown. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const run =
  "torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 4 --hidden-size 256 --num-attention-heads 8 --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 --train-iters 100 --lr 1e-4 --bf16 --mock-data --tokenizer-type NullTokenizer --vocab-size 1000 --tensor-model-parallel-size $TP";
const codes = (before: string, more = ""): readonly string[] =>
  toldOf({ "run.sh": `${before}\n${run} ${more}\n` })
    .filter(({ severity }) => severity === "error")
    .map(({ code }) => code);

const ways: readonly (readonly [string, string])[] = [
  ["getopts", 'while getopts "t:" o; do case $o in t) TP=$OPTARG ;; *) exit 1 ;; esac; done\nshift $((OPTIND - 1))'],
  ["while $#", 'while [[ $# -gt 0 ]]; do case "$1" in --tp) TP="$2"; shift 2 ;; *) exit 1 ;; esac; done'],
  ["while (( $# ))", 'while (( $# )); do case "$1" in --tp) TP="$2"; shift 2 ;; *) shift ;; esac; done'],
  ["while $1", 'while [ -n "$1" ]; do if [ "$1" = --tp ]; then shift; TP=$1; fi; shift; done'],
  ["for", 'for arg in "$@"; do case $arg in --tp=*) TP="${arg#*=}" ;; esac; done'],
  ["for without words", 'for arg; do case $arg in --tp=*) TP="${arg#*=}" ;; esac; done'],
  [
    "getopt",
    'eval set -- "$(getopt -o t: -- "$@")"\nwhile true; do case "$1" in -t) TP=$2; shift 2 ;; --) shift; break ;; esac; done',
  ],
  ["a function", 'take() { while [ $# -gt 0 ]; do case $1 in -t) TP=$2; shift ;; esac; shift; done; }\ntake "$@"'],
];

it.each(ways)("%s: without options the default runs", (_, loop) => {
  expect(codes(`TP=3\n${loop}`)).toContain("cdr/megatron-world-size");
  expect(codes(`TP=2\n${loop}`)).toEqual([]);
});

it.each(ways)("%s: what has no default is unknown", (_, loop) => {
  expect(codes(loop)).toEqual([]);
  expect(codes(`TP=\n${loop}`)).toEqual([]);
  expect(codes(`TP=3\nwhile read -r line; do TP=$line; done < sizes\n${loop}`)).toEqual([]);
});

it("words that options go on with stay open", () => {
  const loop = 'while [[ $# -gt 0 ]]; do MORE="$MORE $1"; shift; done';
  const experts = "--num-experts 3 --expert-model-parallel-size 2";
  expect(codes("TP=2", experts)).not.toEqual([]);
  expect(codes(`TP=2\nMORE="${experts}"\n${loop}`, "$MORE")).toEqual([]);
});

it("words that a caller gives take the default's place", () => {
  const job = `TP=3\n${ways[1]?.[1]}\n${run}\n`;
  const told = (call: string) =>
    toldOf({ "run.sh": call, "job.sh": job }).filter(({ code }) => code === "cdr/megatron-world-size");
  expect(told("bash job.sh --tp 2\n")).toEqual([]);
  expect(told("bash job.sh\n")).toHaveLength(1);
});
