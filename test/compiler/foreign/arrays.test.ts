/** Arrays with keys are not followed, and nothing wrong is said of them; steps of a loop over the nodes make one launch. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";

const codes = (text: string): readonly string[] =>
  checkForeign(
    [{ path: "job.sbatch", text }],
    { world: null, gpusPerNode: null, gpu: "h100" },
    () => undefined,
  ).diagnostics.map(({ code }) => code);

const launch = (layers: string): string =>
  "export CUDA_DEVICE_MAX_CONNECTIONS=1\n" +
  `torchrun --nproc-per-node 8 pretrain_gpt.py --num-layers ${layers} --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 ` +
  "--max-position-embeddings 1024 --micro-batch-size 1 --train-iters 10 --lr 1e-4 --bf16 --mock-data --tokenizer-type NullTokenizer --vocab-size 32000\n";

it.each(["declare -A CFG=([layers]=24 [tp]=4)", "typeset -A CFG=( [layers]=24 )", "CFG=([layers]=24)"])(
  "%s",
  (line) => {
    expect(codes(`#!/bin/bash\n${line}\n${launch("${CFG[layers]}")}`)).not.toContain("cdr/megatron-value-type");
  },
);

it("an array without keys is read", () => {
  expect(codes(`#!/bin/bash\nL=(24 x)\n${launch("${L[1]}")}`)).toContain("cdr/megatron-value-type");
});

const job = "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus-per-node=8\n";
const step = (nodes: string, rank: string): string =>
  `srun -N1 -n1 torchrun --nnodes ${nodes} ${rank} --nproc_per_node 8 --master_addr a --master_port 29500 train.py &\n`;

it("a step for each node", () => {
  const loop = `for i in $(seq 0 3); do\n${step("$SLURM_NNODES", "--node_rank $i")}done\nwait\n`;
  expect(codes(`${job}${loop}`)).not.toContain("cdr/slurm-nodes");
  expect(codes(`${job}${[0, 1, 2, 3].map((rank) => step("4", `--node_rank ${rank}`)).join("")}wait\n`)).not.toContain(
    "cdr/slurm-nodes",
  );
});

it("one step that has fewer nodes than it waits for", () => {
  expect(codes(`${job}${step("4", "")}wait\n`)).toContain("cdr/slurm-nodes");
});

const part = (nodes: number, machines: number): string =>
  `srun --nodes=${nodes} --ntasks=${nodes} bash -c "accelerate launch --num_processes 24 --num_machines ${machines} ` +
  '--main_process_ip a --main_process_port 29500 --machine_rank \\$SLURM_NODEID train.py" &\n';

it("a step on some nodes of the job is a launch for as many, whatever names its ranks", () => {
  const other = "srun --nodes=1 --ntasks=1 trl vllm-serve --model x &\nwait\n";
  expect(codes(`${job}${part(3, 3)}${other}`)).not.toContain("cdr/slurm-nodes");
  expect(codes(`${job}${part(3, 4)}${other}`)).toContain("cdr/slurm-nodes");
  const steps = [0, 1, 2].map((rank) => step("3", `--node_rank ${rank}`)).join("");
  expect(codes(`${job}${steps}${other}`)).not.toContain("cdr/slurm-nodes");
  expect(codes(`${job}${step("5", "--node_rank 0")}${other}`)).toContain("cdr/slurm-nodes");
});
