/** What may say how many ranks there are, and is not known, leaves them unknown. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";
import type { Supplied } from "../../../compiler/foreign/launch.ts";
import { importLaunch } from "../../../compiler/import/import.ts";

const model =
  "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 " +
  "--global-batch-size 240 --train-iters 100 --lr 1e-4 --bf16 --mock-data --tokenizer-type NullTokenizer --vocab-size 50000";
const program = `pretrain_gpt.py ${model} --tensor-model-parallel-size 2 --pipeline-model-parallel-size 2`;

const given: Supplied = { world: null, gpusPerNode: null, gpu: null };

function judged(text: string, supplied = given): readonly string[] {
  const [, directives = "", rest = ""] = /^((?:#SBATCH.*\n)*)([^]*)$/.exec(text) ?? [];
  const script = `#!/bin/bash\n${directives}export CUDA_DEVICE_MAX_CONNECTIONS=1\n${rest}\n`;
  return checkForeign([{ path: "run.sh", text: script }], supplied, () => undefined).diagnostics.flatMap(
    ({ severity, code, message }) =>
      severity !== "info" || message.startsWith("the number of ranks is unknown") ? [`${severity} ${code}`] : [],
  );
}

const unknown = ["info cdr/foreign-unknown"];
const refused = ["error cdr/megatron-world-size"];

const opened = [
  ["", "$(cat dist.txt)"],
  ["", "$(< dist.txt)"],
  ["", "`./options`"],
  ["", '"$@"'],
  ["", "$DISTRIBUTED_ARGS"],
  ["mapfile -t D < <(printf '%s\\n' --nproc_per_node 8)", '"${D[@]}"'],
  ["D=($(cat dist.txt))", '"${D[@]}"'],
  ['while read -r line; do D+=("$line"); done < dist.txt', '"${D[@]}"'],
  ["source ./cluster.env", '"${D[@]}"'],
  ['D="$(python make.py)"', "$D"],
  ["D=(--master_port 6000); while read -r host; do D+=(--nnodes 4); done < hosts", '"${D[@]}"'],
  ["D=($(python make.py))", '"${D[@]}" --nproc_per_node 2'],
  ["D=($(python make.py))", '--nnodes 1 "${D[@]}"'],
] as const;

it.each(opened)("%s: torchrun %s", (before, words) => {
  for (const launcher of ["torchrun", "python -m torch.distributed.run", "python3 -m torch.distributed.launch"])
    expect(judged(`${before}\n${launcher} ${words} ${program}`), launcher).toEqual(unknown);
  expect(judged(`${before}\ntorchrun ${words} ${program}`, { ...given, world: 6 })).toEqual(refused);
});

it.each(opened.slice(0, 10))("%s: another launcher with %s", (before, words) => {
  for (const launcher of ["deepspeed", "accelerate launch", "mpirun", "srun"]) {
    const start =
      launcher === "mpirun" || launcher === "srun" ? `${launcher} ${words} python` : `${launcher} ${words}`;
    expect(judged(`${before}\n${start} ${program}`), launcher).toEqual(unknown);
  }
  const step = `#SBATCH --nodes=1 --ntasks-per-node=6\n${before}\nsrun`;
  expect(judged(`${step} ${words} python ${program}`)).toEqual(unknown);
  expect(judged(`${step} python ${program}`)).toEqual(refused);
});

it("what is said beside it stands", () => {
  expect(judged(`torchrun --nproc_per_node 6 --nnodes 1 $(cat more.txt) ${program}`)).toEqual(refused);
  expect(judged(`torchrun --nproc_per_node 2 ${program}`)).toEqual(refused);
  expect(judged(`torchrun --nnodes 1 $MORE ${program}`, { ...given, gpusPerNode: 6 })).toEqual(refused);
  // A word that is the program is no option of the launcher.
  const args = program.replace("pretrain_gpt.py ", "");
  for (const word of ['"$PROGRAM"', "$PROGRAM"])
    expect(judged(`torchrun --nproc_per_node 6 ${word} ${args}`)).toEqual(refused);
});

it("nodes that meet where nobody knows", () => {
  for (const words of ["$RDZV", "${RDZV_OPTS}", "$(./rdzv.sh)"])
    expect(judged(`torchrun --nproc_per_node 8 --nnodes 4 ${words} ${program.replace("240", "256")}`)).toEqual([]);
});

it.each([
  ["WORLD_SIZE=4 RANK=0 LOCAL_RANK=0 python", []],
  ["for r in 0 1 2 3; do WORLD_SIZE=4 RANK=$r LOCAL_RANK=$r python", []],
  ["export WORLD_SIZE=4\nexec python -u", []],
  ["env WORLD_SIZE=4 RANK=0 python3", []],
  ["export WORLD_SIZE=6\npython", refused],
  ["WORLD_SIZE=6 RANK=0 python", refused],
  ["export RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS\npython", unknown],
  ["export RANK=$OMPI_COMM_WORLD_RANK WORLD_SIZE=$OMPI_COMM_WORLD_SIZE\npython", unknown],
  ["export RANK=$1\npython", unknown],
  ["docker run -e WORLD_SIZE=6 --gpus device=0 image python", refused],
  // Who starts the script may start several, and set it.
  ["python", ["warning cdr/megatron-world-size"]],
  ["#SBATCH --gpus-per-node=1\npython", refused],
])("%s", (start, expected) => {
  const text = `${start} ${program}${start.startsWith("for") ? " & done; wait" : ""}`;
  expect([...new Set(judged(text))]).toEqual(expected);
});

it("an import marks as guessed how many there are", () => {
  for (const start of [
    "torchrun $DISTRIBUTED_ARGS",
    "export WORLD_SIZE=$SLURM_NTASKS\npython",
    "torchrun $(< dist.txt)",
  ]) {
    const text = `#!/bin/bash\n${start} ${program}\n`;
    const imported = importLaunch([{ path: "run.sh", text }], { supplied: given, launch: null }, () => undefined);
    expect(imported.text).toMatch(/guessed: .*number of ranks/);
  }
});

it("a file that is read in place of words is unknown, not empty", () => {
  const head = "torchrun --nproc_per_node 8 pretrain_gpt.py";
  for (const words of ["$(< args.txt)", "$(<args.txt)", '"${A[@]}"', "$A"])
    expect(judged(`A=($(< args.txt))\n${head} ${words}`), words).toEqual([]);
  expect(judged(head).length).toBeGreaterThan(3);
});
