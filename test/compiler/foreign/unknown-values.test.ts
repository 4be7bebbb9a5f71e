/** What nobody can know of a variable is unknown, and never taken for what was written before. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

const run = (ranks: string): string =>
  `torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers 4 --hidden-size 256 --num-attention-heads 8 --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 --train-iters 100 --lr 1e-4 --bf16 --mock-data --tokenizer-type NullTokenizer --vocab-size 1000 --tensor-model-parallel-size ${ranks}\n`;
const isJudged = (before: string, ranks = "$TP"): boolean =>
  toldOf({ "run.sh": `${before}\n${run(ranks)}` }).some(({ code }) => code === "cdr/megatron-world-size");

it.each([
  "TP=3\nsource ./cluster.env",
  "TP=3\n. config/$CLUSTER.sh",
  'TP=3\neval "$(cat settings)"',
  "TP=3\neval $SETUP",
  'TP=3\nwhile read LINE; do export "$LINE"; done < .env',
  "TP=3\nexport $(grep -v '^#' .env | xargs)",
  'TP=3\ndeclare "$PAIR"',
  "TP=3\nunset $NAME",
  "TP=3\nmodule load cluster || TP=2",
  'TP=3\nif [ -n "$SITE" ]; then source ./cluster.env; fi',
  "readonly TP=2\nTP=3",
  "declare -r TP=2\nTP=3",
])("%s", (before) => {
  expect(isJudged(before)).toBe(false);
});

it.each([
  "source ./cluster.env\nTP=3",
  "source ./cluster.env\nTP=3\nif [ ! -d logs ]; then mkdir logs; fi",
  'source ./cluster.env\nTP=3\n[ -n "$DEBUG" ] && set -x',
  'eval "$SETUP"\nTP=3\ncase $KIND in a) LOG=1 ;; *) LOG=2 ;; esac',
  "TP=3\nsource venv/bin/activate",
  "TP=3\nsource ~/.bashrc",
  'TP=3\nsource "$CONDA/etc/profile.d/conda.sh"',
  'TP=3\neval "$(conda shell.bash hook)"',
  "eval TP=3",
  "TP=3\neval echo $WORDS",
  "TP=3\nreadonly TP\nunset TP",
  "TP=3\nmodule load cluster || exit 1",
])("%s, and it is known", (before) => {
  expect(isJudged(before)).toBe(true);
});

it("a default is not what a file that is not there says", () => {
  expect(isJudged("", "${TP:-3}")).toBe(true);
  expect(isJudged("source ./cluster.env", "${TP:-3}")).toBe(false);
});

it("what a directive says of the nodes is wrong at the directive", () => {
  const job =
    "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=1\nsrun torchrun --nnodes $SLURM_NNODES --nproc-per-node 8 train.py\n";
  const found = toldOf({ "job.sbatch": job }).find(({ code }) => code === "cdr/torchrun-endpoint");
  expect(job.slice(found?.span.start, found?.span.end)).toBe("--nodes=2");
});

const wrong = '{"train_micro_batch_size_per_gpu":1,"zero_optimization":{"stage":9}}';
const isRead = (start: string): boolean =>
  toldOf({
    "run.sh": `${start} deepspeed --num_gpus 8 src/train.py --deepspeed_config conf/ds.json\n`,
    "conf/ds.json": wrong,
    "src/train.py": "",
  }).some(({ code }) => code === "cdr/deepspeed-value");

it.each([
  "srun --chdir=/other",
  "srun -D sub",
  "docker run --gpus all -w /work image",
  "docker run --gpus all -v /data:/work -w /work image",
  "cd $X;",
  "env -C sub",
  "env --chdir=sub A=1",
  "env -C $X",
  "conda run -n e --cwd sub",
  "apptainer exec --pwd /other image.sif",
  "singularity exec --cwd=sub image.sif",
])("%s: a file of this folder is not the one", (start) => {
  expect(isRead(start)).toBe(false);
});

it.each([
  "",
  "srun",
  "srun --chdir=.",
  "docker run --gpus all -v $PWD:/work -w /work image",
  "cd up; env -C ..",
  "apptainer exec --bind $PWD:/work --pwd /work image.sif",
])("%s: a file of this folder is read", (start) => {
  expect(isRead(start)).toBe(true);
});

it("a program of another folder is not missing here", () => {
  const missing = (start: string): readonly string[] =>
    toldOf({ "run.sh": `${start} torchrun --nproc-per-node 8 train.py\n`, "src/x.py": "" })
      .map(({ code }) => code)
      .filter((code) => code === "cdr/program-missing");
  expect(missing("srun")).toHaveLength(1);
  expect(missing("srun --chdir=/other")).toEqual([]);
});

it("what a template of a YAML leaves open is neither on nor off", () => {
  const axolotl = (value: string): string =>
    `base_model: m\nmicro_batch_size: 1\nsequence_len: 2048\ndatasets:\n  - path: d\n    type: alpaca\ndeepspeed: ${value}\nfsdp: ${value}\nwarmup_steps: ${value}\nwarmup_ratio: ${value}\ns2_attention: ${value}\n`;
  const errors = (value: string): readonly string[] =>
    toldOf({ "axo.yaml": axolotl(value) }).flatMap(({ code, severity }) => (severity === "error" ? [code] : []));
  expect(errors("${GIVEN}")).toEqual([]);
  expect(errors("full_shard")).toContain("cdr/axolotl-sharding");
});
