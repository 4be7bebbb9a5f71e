import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";
import type { Source } from "../../../dsl/source/source.ts";

const unknown = { world: null, gpusPerNode: null, gpu: "h100" };
const sizes =
  "--num-layers 4 --hidden-size 512 --num-attention-heads 8 --seq-length 128 --max-position-embeddings 128";
const run = `torchrun --nproc_per_node \${GPUS:-8} pretrain_gpt.py ${sizes} --micro-batch-size 1 --train-iters 10 --lr 1e-4`;

/** Errors of the first of these files, which calls the others, and what stands at their places. */
function errorsOf(files: Readonly<Record<string, string>>, given = Object.keys(files).slice(0, 1)) {
  const read = (path: string): Source | undefined => {
    const name = path.replace("./", "");
    return files[name] === undefined ? undefined : { path: name, text: files[name] };
  };
  const sources = given.map((path) => ({ path, text: files[path] ?? "" }));
  return checkForeign(sources, unknown, read)
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ code, span }) => `${code} ${span.source.path} ${span.source.text.slice(span.start, span.end)}`);
}

const divided = (path: string, text: string): string => `cdr/megatron-world-size ${path} ${text}`;

it.each([
  ["the words of a call", "bash inner.sh 3", `${run} --tensor-model-parallel-size $1`],
  ["a default that a word replaces", "bash ./inner.sh 3", `${run} --tensor-model-parallel-size \${1:-2}`],
  ["words behind those that shift takes", "srun bash inner.sh x 3", `shift\n${run} --tensor-model-parallel-size $1`],
  ["all words", "bash inner.sh --tensor-model-parallel-size 3", `${run} "$@"`],
  ["a slice of them", "bash inner.sh x --tensor-model-parallel-size 3", `${run} "\${@:2}"`],
  [
    "an option by getopts",
    "bash inner.sh -t 3",
    `while getopts "t:" o; do case $o in t) TP=$OPTARG ;; esac; done\n${run} --tensor-model-parallel-size $TP`,
  ],
  ["the words of source", "source inner.sh 3", `TP=$1\n${run} --tensor-model-parallel-size $TP`],
  ...['"$(dirname "$0")/inner.sh"', '"$(dirname "${BASH_SOURCE[0]}")"/inner.sh'].map((path) => [
    `what stands beside the script itself: ${path}`,
    `source ${path} 3`,
    `TP=$1\n${run} --tensor-model-parallel-size $TP`,
  ]),
  [
    "what stands in the script's own folder",
    'DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"; . "$DIR/inner.sh" 3',
    `TP=$1\n${run} --tensor-model-parallel-size $TP`,
  ],
  ["the environment of a call", "TP=3 bash inner.sh", `${run} --tensor-model-parallel-size $TP`],
  [
    "a job whose number is kept",
    "ID=$(sbatch --parsable inner.sh 3 | cut -d';' -f1)",
    `${run} --tensor-model-parallel-size $1`,
  ],
  ["a job that is submitted", "sbatch --nodes=1 inner.sh 3", `${run} --tensor-model-parallel-size $1`],
])("judges a script that another one calls by %s, at their places", (_, call, inner) => {
  const found = errorsOf({ "run.sh": call, "inner.sh": inner });
  expect(found).toContainEqual(expect.stringMatching(/^cdr\/megatron-world-size run\.sh (?:--\S+ )?3$/));
  const mended = { "run.sh": call.replace("3", "2"), "inner.sh": inner };
  expect(errorsOf(mended)).toEqual([]);
  expect(errorsOf(mended, ["run.sh", "inner.sh"])).toEqual([]);
});

it("takes options of sbatch before the directives of the job, and each call for a launch", () => {
  const job = `#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus-per-node=8\n${run} --tensor-model-parallel-size $1 --pipeline-model-parallel-size $SLURM_NNODES`;
  const files = (tensor: string, nodes: number) => ({
    "run.sh": `for tp in ${tensor}; do sbatch --nodes=${nodes} job.sbatch $tp; done`,
    "job.sbatch": job,
  });
  expect(errorsOf(files("2 3", 1)).filter((each) => each.startsWith("cdr/megatron-world-size"))).toEqual([
    divided("run.sh", "3"),
  ]);
  expect(errorsOf(files("2 4", 1))).toEqual([]);
  expect(errorsOf(files("4", 3)).join("\n")).toContain("cdr/megatron-world-size");
});

it("reads scripts that submit each other once", () => {
  const files = { "a.sh": "sbatch b.sh\nsbatch a.sh", "b.sh": "sbatch a.sh\nsbatch b.sh" };
  expect(errorsOf(files)).toEqual([]);
});
