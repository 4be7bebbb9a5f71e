/** Options of the Trainer and of accelerate against the release that the files install. */
import { expect, it } from "vitest";
import { toldOf } from "../../../compiler/foreign/rules/example.ts";
import type { Files } from "../../../compiler/foreign/rules/rule.ts";

const told = (files: Files): readonly string[] =>
  toldOf(files).flatMap(({ code, severity, message }) =>
    /(?:trainer|fsdp|key|option)-release$|accelerate-keys|accelerate-option$/.test(code)
      ? [`${severity} ${message}`]
      : [],
  );

const args = (more: string): string => `output_dir: out\nper_device_train_batch_size: 1\n${more}`;
const acc = (more: string): string => `distributed_type: FSDP\nnum_processes: 8\n${more}`;
const launch = (more: string): string => `accelerate launch --num_processes 8 ${more} train.py\n`;
const run = (more: string): string =>
  `torchrun --nproc_per_node 8 train.py --output_dir o --save_total_limit 1 ${more}\n`;

it.each<[string, Files, readonly string[]]>([
  [
    "transformers==4.40.2",
    { "a.yaml": args("eval_strategy: steps\n") },
    ["error transformers 4.40.2 has no eval_strategy yet: it is called evaluation_strategy before 4.41"],
  ],
  [
    "transformers==4.33.1",
    { "run.sh": run("--neftune_noise_alpha 5") },
    ["error transformers 4.33.1 has no neftune_noise_alpha yet: it came with 4.35"],
  ],
  [
    "torch==1.13.1",
    { "run.sh": "torchrun --nproc-per-node 8 --node_rank 0 train.py --log-dir x\n" },
    ["error torchrun of torch 1.13.1 has no --nproc-per-node yet: it is --nproc_per_node before 2.0"],
  ],
  [
    "torch<2.9",
    { "run.sh": "torchrun --nproc-per-node 8 --numa-binding node --event-log-handler null train.py\n" },
    ["error torchrun of torch 2.8.0 has no --numa-binding yet: it came with 2.9"],
  ],
  [
    "torch==2.10.0",
    { "run.sh": "torchrun --nproc-per-node 8 --numa-binding node --virtual-local-rank train.py\n" },
    [],
  ],
  ["numpy", { "run.sh": "torchrun --nproc-per-node 8 --shutdown-timeout 30 train.py\n" }, []],
  ["transformers==4.35.0", { "run.sh": run("--neftune_noise_alpha 5") }, []],
  [
    "transformers<4.35",
    { "run.sh": run("--neftune_noise_alpha 5") },
    ["error transformers 4.34.1 has no neftune_noise_alpha yet: it came with 4.35"],
  ],
  ["transformers>=4.30", { "run.sh": run("--neftune_noise_alpha 5") }, []],
  ["transformers==4.50.0", { "run.sh": run("--project mine --use_cache false --tp_size 2") }, []],
  [
    "transformers==4.53.0",
    { "run.sh": run("--optim stable_adamw") },
    ["error transformers 4.53.0 has no optim stable_adamw yet: it came with 4.54"],
  ],
  ["transformers==4.54.0", { "run.sh": run("--optim stable_adamw") }, []],
  [
    "transformers==4.51.0",
    { "run.sh": run("--optim adamw_hf") },
    ["error transformers 4.51.0 has no optim adamw_hf from 4.50 on"],
  ],
  [
    "transformers==4.38.0",
    { "a.yaml": args("lr_scheduler_type: warmup_stable_decay\n") },
    ["error transformers 4.38.0 has no lr_scheduler_type warmup_stable_decay yet: it came with 4.41"],
  ],
  [
    "transformers==5.16.0",
    { "a.yaml": args("warmup_ratio: 0.1\n") },
    ["error transformers has had no warmup_ratio since 5.15: warmup_steps replaced it"],
  ],
  [
    "transformers==4.57.1",
    { "a.yaml": args("fsdp: full_shard\nfsdp_config: {fsdp_version: 2}\n") },
    ["warning transformers 4.57.1 does not read fsdp_version in fsdp_config: it came with 5.0"],
  ],
  ["transformers==4.30.0", { "a.yaml": args("fsdp: full_shard\nfsdp_config: {fsdp_min_num_params: 100}\n") }, []],
  [
    "accelerate==1.4.0",
    { "acc.yaml": acc("fsdp_config: {fsdp_version: 2}\n") },
    ["warning accelerate 1.4.0 does not read fsdp_version: it came with 1.6"],
  ],
  ["accelerate==1.6.0", { "acc.yaml": acc("fsdp_config: {fsdp_version: 2}\n") }, []],
  [
    "accelerate==1.9.0",
    { "acc.yaml": acc("parallelism_config: {parallelism_config_tp_size: 2}\n") },
    ["error accelerate 1.9.0 has no parallelism_config yet: it came with 1.10"],
  ],
  [
    "accelerate==1.10.1",
    { "acc.yaml": acc("parallelism_config: {parallelism_config_sp_size: 2}\n") },
    ["warning accelerate 1.10.1 does not read parallelism_config_sp_size: it came with 1.12"],
  ],
  [
    "accelerate==1.5.0",
    { "acc.yaml": acc("tp_config: {tp_size: 2}\n"), "run.sh": launch("--use_tp --tp_size 2") },
    [],
  ],
  [
    "accelerate==1.7.0",
    { "run.sh": launch("--use_tp") },
    ["error accelerate launch 1.7.0 has no --use_tp any more: 1.7 removed it"],
  ],
  ["accelerate", { "run.sh": launch("--use_tp") }, ["warning accelerate launch has had no --use_tp since 1.7"]],
  [
    "accelerate==1.5.0",
    { "run.sh": launch("--use_parallelism_config true") },
    ["error accelerate launch 1.5.0 has no --use_parallelism_config yet: it came with 1.10"],
  ],
])("%s %j", (requirement, files, expected) => {
  expect(told({ ...files, "requirements.txt": `${requirement}\n` })).toEqual(expected);
});

it("a program that lies beside and has an option of that name keeps it", () => {
  const files = { "run.sh": run("--neftune_noise_alpha 5"), "requirements.txt": "transformers==4.33.1\n" };
  expect(told({ ...files, "train.py": "neftune_noise_alpha: float = 0\n" })).toEqual([]);
});
