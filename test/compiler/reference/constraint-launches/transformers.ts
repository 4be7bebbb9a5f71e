/** The Trainer of transformers, and accelerate. */
import { inFile, type LaunchCase } from "./case.ts";

const trainer = inFile("args.yaml", (more) => `output_dir: out\nper_device_train_batch_size: 1\n${more}`);
const accelerate = inFile("acc.yaml", (more) => `compute_environment: LOCAL_MACHINE\nnum_processes: 8\n${more}`);
const fsdp2 = "distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 2\n";
const parallel = (sizes: Readonly<Record<string, number | string>>): string =>
  `parallelism_config:\n${Object.entries(sizes)
    .map(([name, value]) => `  parallelism_config_${name}: ${value}\n`)
    .join("")}`;
const json = (config: object): string => JSON.stringify(config);
const script = inFile("run.sh", (more) => `accelerate launch ${more} train.py\n`);

/** A DeepSpeed JSON and the Trainer's arguments beside it. */
const mismatch = (name: string, config: object, fires: string, silent: string): LaunchCase => {
  const files = (more: string) => ({
    "ds.json": json({ zero_optimization: { stage: 2 }, ...config }),
    "args.yaml": `output_dir: out\nper_device_train_batch_size: 1\n${more}`,
  });
  return { name, fires: files(fires), silent: files(silent) };
};
const deepspeed = "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nnum_processes: 8\n";

export const transformersCases: readonly LaunchCase[] = [
  trainer("H002", "bf16: true\n", "fp16: true\n", { gpu: "v100" }),
  trainer("H003", "tf32: true\n", "tf32: false\n", { gpu: "v100" }),
  mismatch("H011 accumulation", { gradient_accumulation_steps: 2 }, "", "gradient_accumulation_steps: 2\n"),
  mismatch("H011 clipping", { gradient_clipping: 0.5 }, "", "max_grad_norm: 0.5\n"),
  mismatch(
    "H011 rate",
    { optimizer: { type: "AdamW", params: { lr: 1e-4 } } },
    "learning_rate: 0.001\n",
    "learning_rate: 0.0001\n",
  ),
  mismatch("H011 precision", { bf16: { enabled: true } }, "fp16: true\n", "bf16: true\n"),
  {
    name: "H012",
    fires: {
      "ds.json": json({ zero_optimization: { stage: 3, stage3_prefetch_bucket_size: "auto" } }),
      "args.yaml": "output_dir: out\nper_device_train_batch_size: 1\n",
      "config.json": json({ model_type: "x", architectures: ["X"], d_model: 512 }),
    },
    silent: {
      "ds.json": json({ zero_optimization: { stage: 3, stage3_prefetch_bucket_size: "auto" } }),
      "args.yaml": "output_dir: out\nper_device_train_batch_size: 1\n",
      "config.json": json({ model_type: "x", architectures: ["X"], hidden_size: 512 }),
    },
  },
  script(
    "H020",
    "--use_fsdp --num_processes 8 --use_parallelism_config --parallelism_config_dp_shard_size 8",
    "--use_fsdp --fsdp_version 2 --num_processes 8 --use_parallelism_config --parallelism_config_dp_shard_size 8",
  ),
  script(
    "H020 kind",
    "--multi_gpu --num_processes 8 --use_parallelism_config --parallelism_config_dp_replicate_size 8",
    "--use_fsdp --fsdp_version 2 --num_processes 8 --use_parallelism_config --parallelism_config_dp_shard_size 8",
  ),
  script("H022", "--num_processes 8 --module --no_python", "--num_processes 8 --module"),
  accelerate(
    "H028 size",
    `${fsdp2}${parallel({ dp_shard_size: 8, tp_size: 0 })}`,
    `${fsdp2}${parallel({ dp_shard_size: 8, tp_size: 1 })}`,
  ),
  accelerate(
    "H028 context",
    `${fsdp2}${parallel({ dp_shard_size: 4, cp_size: 2, cp_backend: "deepspeed" })}`,
    `${fsdp2}${parallel({ dp_shard_size: 4, cp_size: 2, cp_backend: "torch" })}`,
  ),
  accelerate(
    "H028 sequence",
    `distributed_type: DEEPSPEED\n${parallel({ sp_size: 2, sp_backend: "torch" })}`,
    `distributed_type: DEEPSPEED\n${parallel({ sp_size: 2, sp_backend: "deepspeed" })}`,
  ),
  accelerate(
    "H029",
    `${fsdp2}${parallel({ dp_shard_size: 2, cp_size: 2, sp_size: 2 })}`,
    `${fsdp2}${parallel({ dp_shard_size: 4, cp_size: 2 })}`,
  ),
  accelerate(
    "H030",
    `${fsdp2}${parallel({ dp_replicate_size: 4, tp_size: 2 })}`,
    `${fsdp2}${parallel({ dp_replicate_size: 2, dp_shard_size: 2, tp_size: 2 })}`,
  ),
  accelerate(
    "H031",
    `${fsdp2}${parallel({ dp_shard_size: 2, tp_size: 2 })}`,
    `${fsdp2}${parallel({ dp_shard_size: 4, tp_size: 2 })}`,
  ),
  accelerate(
    "H032",
    `distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 1\n${parallel({ dp_shard_size: 8 })}`,
    `${fsdp2}${parallel({ dp_shard_size: 8 })}`,
  ),
  accelerate(
    "H032 kind",
    `distributed_type: MULTI_CPU\n${parallel({ dp_replicate_size: 8 })}`,
    `distributed_type: MULTI_GPU\n${parallel({ dp_replicate_size: 8 })}`,
  ),
  accelerate("H036 prefetch", `${fsdp2}  fsdp_forward_prefetch: true\n`, `${fsdp2}  fsdp_forward_prefetch: false\n`),
  accelerate(
    "H036 states",
    `${fsdp2}  fsdp_state_dict_type: LOCAL_STATE_DICT\n`,
    `${fsdp2}  fsdp_state_dict_type: SHARDED_STATE_DICT\n`,
  ),
  accelerate(
    "H036 reshard",
    `${fsdp2}  fsdp_reshard_after_forward: FULL_SHARD\n`,
    `${fsdp2}  fsdp_reshard_after_forward: true\n`,
  ),
  {
    name: "H036 torch",
    fires: {
      "acc.yaml": `compute_environment: LOCAL_MACHINE\nnum_processes: 8\n${fsdp2}`,
      "requirements.txt": "torch==2.5.1\n",
    },
    silent: {
      "acc.yaml": `compute_environment: LOCAL_MACHINE\nnum_processes: 8\n${fsdp2}`,
      "requirements.txt": "torch==2.6.0\n",
    },
  },
  accelerate(
    "H037",
    "distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 1\n  fsdp_reshard_after_forward: true\n",
    "distributed_type: FSDP\nfsdp_config:\n  fsdp_version: 1\n  fsdp_reshard_after_forward: FULL_SHARD\n",
  ),
  {
    name: "H043",
    fires: {
      "acc.yaml": deepspeed,
      "ds.json": json({ train_batch_size: 8, zero_optimization: { stage: 3, sub_group_size: "auto" } }),
    },
    silent: {
      "acc.yaml": deepspeed,
      "ds.json": json({ train_batch_size: 8, zero_optimization: { stage: 3, reduce_bucket_size: "auto" } }),
    },
  },
  {
    name: "H044",
    fires: {
      "run.sh":
        "accelerate launch --use_deepspeed --num_processes 8 --deepspeed_config_file ds.json train.py --max_grad_norm 1.0 --output_dir out --per_device_train_batch_size 1\n",
      "ds.json": json({ gradient_clipping: 0.5, train_batch_size: 8, zero_optimization: { stage: 2 } }),
    },
    silent: {
      "run.sh":
        "accelerate launch --use_deepspeed --num_processes 8 --deepspeed_config_file ds.json train.py --max_grad_norm 0.5 --output_dir out --per_device_train_batch_size 1\n",
      "ds.json": json({ gradient_clipping: 0.5, train_batch_size: 8, zero_optimization: { stage: 2 } }),
    },
  },
  {
    name: "H045",
    fires: {
      "acc.yaml": `${deepspeed}mixed_precision: bf16\n`,
      "ds.json": json({ fp16: { enabled: true }, zero_optimization: { stage: 2 } }),
    },
    silent: {
      "acc.yaml": `${deepspeed}mixed_precision: bf16\n`,
      "ds.json": json({ bf16: { enabled: true }, zero_optimization: { stage: 2 } }),
    },
  },
  {
    name: "H047",
    fires: {
      "acc.yaml": deepspeed,
      "ds.json": json({ train_micro_batch_size_per_gpu: "auto", zero_optimization: { stage: 2 } }),
    },
    silent: {
      "acc.yaml": deepspeed,
      "ds.json": json({ train_micro_batch_size_per_gpu: 2, zero_optimization: { stage: 2 } }),
    },
  },
  {
    name: "H048",
    fires: {
      "acc.yaml": deepspeed,
      "ds.json": json({ train_batch_size: 8, zero_optimization: { stage: 3, reduce_bucket_size: "auto" } }),
      "config.json": json({ model_type: "x", architectures: ["X"], d_model: 512 }),
    },
    silent: {
      "acc.yaml": deepspeed,
      "ds.json": json({ train_batch_size: 8, zero_optimization: { stage: 3, reduce_bucket_size: "auto" } }),
      "config.json": json({ model_type: "x", architectures: ["X"], hidden_size: 512 }),
    },
  },
  accelerate(
    "H053 bf16",
    "distributed_type: MULTI_GPU\nmixed_precision: bf16\n",
    "distributed_type: MULTI_GPU\nmixed_precision: fp16\n",
    {
      gpu: "v100",
    },
  ),
];
