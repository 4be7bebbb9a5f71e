/** JobSets whose Jobs start one training together. */
import { expect, it } from "vitest";
import { checkForeign } from "../../../compiler/foreign/check.ts";
import { importLaunch } from "../../../compiler/import/import.ts";

const supplied = { world: null, gpusPerNode: null, gpu: "h100" };

const job = (name: string, pods: number, command: string, gpus = 8): string => `    - name: ${name}
      template:
        spec:
          parallelism: ${pods}
          completions: ${pods}
          backoffLimit: 0
          template:
            spec:
              restartPolicy: Never
              volumes: [{ name: shm, emptyDir: { medium: Memory } }]
              containers:
                - name: main
                  image: nvcr.io/nvidia/pytorch:25.03-py3
                  command: ["bash", "-c", "${command}"]
                  volumeMounts: [{ name: shm, mountPath: /dev/shm }]
                  resources: { limits: { ${gpus > 0 ? `nvidia.com/gpu: ${gpus}` : "cpu: 2"} } }
`;

const set = (...jobs: readonly string[]): string =>
  `apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata:\n  name: gpt\nspec:\n  network:\n    subdomain: net\n  replicatedJobs:\n${jobs.join("")}`;

const torchrun = (rank: string, address = "gpt-leader-0-0.net"): string =>
  `torchrun --nnodes=4 --nproc-per-node=8 --node-rank=${rank} --master-addr=${address} --master-port=29500 train.py --learning_rate 1e-4`;

const told = (text: string) =>
  checkForeign([{ path: "job.yaml", text }], supplied, () => undefined).diagnostics.map(
    ({ severity, code, message }) => `${severity} ${code} ${message}`,
  );

it.each([
  ["$((JOB_COMPLETION_INDEX + 1))", "gpt-leader-0-0.net"],
  ["$(( $JOB_COMPLETION_INDEX+1 ))", "gpt-leader-0-0.net.default.svc.cluster.local"],
  ["$(($RANK_OF_IT * 2))", "elsewhere.example.org"],
])("takes a leader of one pod and workers with the rank %s at %s for right", (rank, address) => {
  const text = set(job("leader", 1, torchrun("0", address)), job("worker", 3, torchrun(rank, address)));
  const found = told(text);
  expect(found.filter((each) => /jobset-|node rank is 0|^error|^warning/.test(each))).toEqual([]);
  expect(checkForeign([{ path: "job.yaml", text }], supplied, () => undefined).launch.world.size).toBe(32);
});

it.each([
  ["$JOB_COMPLETION_INDEX", /pod of worker .* 0\b.* leader/],
  ["${JOB_COMPLETION_INDEX}", /pod of worker .* 0\b.* leader/],
  ["1", /pods of worker .* 1\b/],
])("tells that two pods are one node with the rank %s", (rank, message) => {
  const found = told(set(job("leader", 1, torchrun("0")), job("worker", 3, torchrun(rank))));
  expect(found).toContainEqual(expect.stringMatching(`^error cdr/jobset-node-ranks .*${message.source}`));
});

it("knows the pods of a Job that there is several times", () => {
  const several = (address: string): string =>
    set(job("leader", 1, torchrun("0", address))).replace("- name: leader\n", "- name: leader\n      replicas: 2\n");
  expect(told(several("gpt-leader-1-0.net")).join("\n")).not.toContain("jobset-address");
  expect(told(several("gpt-leader-2-0.net")).join("\n")).toContain("no pod of this JobSet is called gpt-leader-2-0");
});

it("imports the Jobs that have GPUs, whatever stands before them", () => {
  const text = set(
    job("logs", 1, "tensorboard --logdir /logs", 0),
    job("leader", 4, torchrun("$JOB_COMPLETION_INDEX")),
  );
  const made = importLaunch([{ path: "job.yaml", text }], { supplied, launch: null }, () => undefined);
  expect(made.text).toContain("nodes = 4");
});

it("counts the ranks that LLaMA-Factory starts, from the GPUs of the job where nothing else says them", () => {
  const size = (before: string): number | null =>
    checkForeign(
      [
        {
          path: "job.sbatch",
          text: `#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gpus-per-node=8\nsrun bash -c '${before} NNODES=$SLURM_NNODES NODE_RANK=$SLURM_PROCID llamafactory-cli train sft.yaml'\n`,
        },
      ],
      supplied,
      () => undefined,
    ).launch.world.size;
  expect(size("FORCE_TORCHRUN=1")).toBe(16);
  expect(size("FORCE_TORCHRUN=1 NPROC_PER_NODE=4")).toBe(8);
  expect(size("FORCE_TORCHRUN=1 CUDA_VISIBLE_DEVICES=$DEVICES")).toBeNull();
});

it.each([
  ["CUDA_VISIBLE_DEVICES=0 swift sft", 1],
  ["CUDA_VISIBLE_DEVICES=0,1 swift sft", 1],
  ["CUDA_VISIBLE_DEVICES=0,1 NPROC_PER_NODE=2 swift sft", 2],
  ["NPROC_PER_NODE=$N swift sft", null],
  ["CUDA_VISIBLE_DEVICES=0,1 llamafactory-cli train", 2],
  ["CUDA_VISIBLE_DEVICES=$D llamafactory-cli train", null],
  ["llamafactory-cli train", null],
  ["CUDA_VISIBLE_DEVICES=0,3,5 accelerate launch train.py", 3],
  ["CUDA_VISIBLE_DEVICES=0,3,5 accelerate launch --num_processes 2 train.py", 2],
  ["CUDA_VISIBLE_DEVICES=0,3 accelerate launch --num_machines 2 train.py", null],
  ["CUDA_VISIBLE_DEVICES=0,1,2 deepspeed train.py", 3],
  ["CUDA_VISIBLE_DEVICES=0,1,2 deepspeed --num_gpus 2 train.py", 2],
  ["CUDA_VISIBLE_DEVICES=0,1,2 deepspeed --exclude localhost:1 train.py", null],
  ["CUDA_VISIBLE_DEVICES=4,5 torchrun --nproc_per_node gpu train.py", 2],
  ["CUDA_VISIBLE_DEVICES=4,5 torchrun --nproc_per_node 1 train.py", 1],
])("counts the ranks of %s", (start, size) => {
  const text = `${start} --model m --output_dir o --per_device_train_batch_size 1\n`;
  const { launch } = checkForeign(
    [{ path: "run.sh", text }],
    { world: null, gpusPerNode: null, gpu: null },
    () => undefined,
  );
  expect(launch.world.size).toBe(size);
});
