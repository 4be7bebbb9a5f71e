/** What stands around a program is told where the file has no place for it. */
import { describe, expect, it } from "vitest";
import { importLaunch } from "../../../compiler/import/import.ts";

const program =
  "pretrain_gpt.py --num-layers 4 --hidden-size 512 --num-attention-heads 8 --seq-length 1024 --max-position-embeddings 1024 " +
  "--micro-batch-size 1 --global-batch-size 16 --train-iters 10 --lr 1e-4 --mock-data --bf16";

function leftOut(text: string): readonly string[] {
  const supplied = { world: null, gpusPerNode: null, gpu: "h100" };
  const { diagnostics } = importLaunch([{ path: "run.sh", text }], { supplied, launch: null }, () => undefined);
  return diagnostics
    .filter(({ code }) => code === "cdr/import-left-out")
    .map(({ message }) => message.replace(/ is not in the written file.*$/, ""));
}

it("tells directives, options of the step and the launcher, and other commands", () => {
  const head =
    "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gpus-per-node=8\n#SBATCH --time=1:00:00\n#SBATCH --array=0-3\n";
  const text =
    `${head}#SBATCH --output=%j.out\nmkdir -p /ckpt\nexport CUDA_DEVICE_MAX_CONNECTIONS=1\npip install flash-attn\n` +
    `srun --mpi=pmix torchrun --nnodes 2 --nproc-per-node 8 --rdzv-backend c10d --rdzv-endpoint a:1 --max-restarts 3 ${program}\n` +
    "aws s3 sync /ckpt s3://bucket\n";
  expect(leftOut(text).toSorted()).toEqual([
    "--array 0-3",
    "--output %j.out",
    "`aws s3 …`",
    "`pip install …`",
    "srun --mpi",
    "torchrun --max-restarts",
  ]);
});

it("tells the container", () => {
  const text = `docker run --gpus all --ipc=host -e CUDA_DEVICE_MAX_CONNECTIONS=1 image:1 torchrun --nproc-per-node 8 ${program}\n`;
  expect(leftOut(text)).toEqual(["the container image:1"]);
});

it("says nothing of a launch that the file says whole", () => {
  const text = `#!/bin/bash\nset -e\nexport CUDA_DEVICE_MAX_CONNECTIONS=1\nmkdir -p logs\ntorchrun --nproc-per-node 8 ${program}\n`;
  expect(leftOut(text)).toEqual([]);
});

it("shows no word that may be a key", () => {
  const key = "0123456789abcdef0123456789abcdef01234567";
  expect(leftOut(`wandb login ${key}\ntorchrun --nproc-per-node 8 ${program}\n`).join("\n")).not.toContain(key);
});

describe("words that only the job knows", () => {
  const made = (text: string) =>
    importLaunch(
      [{ path: "run.sh", text }],
      { supplied: { world: null, gpusPerNode: null, gpu: "h100" }, launch: null },
      () => undefined,
    );
  it("are told as such where an argument may stand, and the stage is marked", () => {
    const { text, guesses, diagnostics } = made(
      `torchrun --nproc-per-node 8 ${program} $EXTRA "\${MORE[@]}" --seed 7\n`,
    );
    expect(leftOut(`torchrun --nproc-per-node 8 ${program} $EXTRA "\${MORE[@]}" --seed 7\n`)).toEqual([
      "what $EXTRA adds",
      "what $MORE adds",
    ]);
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(guesses.map(({ why }) => why)).toContain(
      "that $EXTRA and $MORE add no argument; it is known only where the script runs.",
    );
    expect(text).not.toMatch(/Left out|no such argument/);
    expect(text).toMatch(/seed\s+= 7/);
  });
  it("are told for transformers too, with the values that are open", () => {
    const run = "torchrun --nproc_per_node 8 run_clm.py --model_name_or_path gpt2 --output_dir o --bf16";
    const { guesses } = made(`${run} --per_device_train_batch_size 2 $EXTRA --max_steps 10 --learning_rate $LR\n`);
    expect(guesses.map(({ why }) => why)).toContain(
      "that $EXTRA adds no argument; --learning_rate ($LR); they are known only where the script runs.",
    );
  });
});
