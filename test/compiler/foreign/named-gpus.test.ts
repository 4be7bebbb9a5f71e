/** Which GPU a launch's own files name, and how many hosts a list of Slurm has. */
import { expect, it } from "vitest";
import { architectureOf, gpuNamed } from "../../../compiler/foreign/known/gpus.ts";
import { hostsIn } from "../../../compiler/foreign/slurm/hostlist.ts";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";

it.each([
  ["v100", 7],
  ["nvidia-tesla-v100", 7],
  ["Tesla_T4", 7.5],
  ["nvidia_a100_80gb", 8],
  ["A10G", 8.6],
  ["L40S", 8.9],
  ["H100", 9],
  ["gtx1080", 6.1],
  ["shard", null],
])("%s has compute capability %s", (name, expected) => {
  expect(architectureOf(name)).toBe(expected);
});

it.each([
  ["p3.16xlarge", "V100"],
  ["g4dn.xlarge", "T4"],
  ["p5.48xlarge", "H100"],
  ["m5.large", null],
])("%s has %s", (instance, expected) => {
  expect(gpuNamed(instance)).toBe(expected);
});

const flash =
  "torchrun --nproc_per_node 8 t.py --attn_implementation flash_attention_2 --per_device_train_batch_size 1\n";
const asked = (options: string): readonly string[] =>
  toldOf({ "job.sbatch": `#!/bin/bash\n${options}\n${flash}` }).flatMap(({ code }) =>
    code === "cdr/flash-device" ? [code] : [],
  );

it.each([
  ["#SBATCH --gres=gpu:v100:8", 1],
  ["#SBATCH --gres=gres/gpu:v100:8,tmp:1T", 1],
  ["#SBATCH --gpus-per-node=v100:8", 1],
  ["#SBATCH --gpus-per-node=8\n#SBATCH --constraint=v100", 1],
  ["#SBATCH --gpus-per-node=8", 0],
  ["#SBATCH --gres=gpu:8", 0],
  ["#SBATCH --gres=gpu:a100:8", 0],
  ["#SBATCH --gpus-per-node=8\n#SBATCH --constraint=v100|a100", 0],
  ["#SBATCH --gres=gpu:v100:8\n#SBATCH --constraint=a100", 0],
])("%s", (options, count) => {
  expect(asked(options)).toHaveLength(count);
});

it.each([
  ["n1", 1],
  ["n1,n2", 2],
  ["n[1-4]", 4],
  ["n[1-4,7],m02", 6],
  ["r[1-2]n[01-10]", 20],
  ["./hosts", null],
  ["n[a-b]", null],
])("%s has %s hosts", (list, expected) => {
  expect(hostsIn(list)).toBe(expected);
});
