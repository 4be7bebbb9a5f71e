/** DeepSpeed's JSON and its launcher. */
import { inFile, type LaunchCase } from "./case.ts";

const config = (name: string, fires: object, silent: object): LaunchCase => {
  const text = (more: object): string =>
    JSON.stringify({ train_micro_batch_size_per_gpu: 2, bf16: { enabled: true }, ...more });
  const files = inFile("ds.json", (more) => more);
  return files(name, text(fires), text(silent), { world: 8 });
};
const adam = { type: "AdamW", params: { lr: 1e-4 } };

const command = inFile("run.sh", (options) => `deepspeed ${options} train.py --deepspeed_config ds.json\n`);
const hosts = (name: string, fires: string, silent: string): LaunchCase => {
  const files = (options: string) => ({
    hosts: "node1 slots=8\nnode2 slots=8\n",
    "run.sh": `deepspeed --hostfile hosts ${options} train.py --deepspeed_config ds.json\n`,
  });
  return { name, fires: files(fires), silent: files(silent) };
};
/** Processes that share a sequence, as accelerate hands them to the engine. */
const sequence = (name: string, fires: number, silent: number): LaunchCase =>
  inFile(
    "acc.yaml",
    (size) =>
      `compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nnum_processes: 8\nparallelism_config:\n  parallelism_config_sp_size: ${size}\n`,
  )(name, String(fires), String(silent));
const program = (name: string, fires: object, silent: object): LaunchCase => {
  const files = (more: object) => ({
    "ds.json": JSON.stringify({ train_micro_batch_size_per_gpu: 2, ...more }),
    "run.sh": "deepspeed --num_gpus 8 src/train.py --deepspeed_config ds.json\n",
    "src/train.py": "import deepspeed\nengine = deepspeed.initialize(args=args, model=model)[0]\n",
  });
  return { name, fires: files(fires), silent: files(silent) };
};
const included = { "run.sh": "deepspeed --hostfile hosts --launcher slurm --include node1 train.py\n" };
const elastic = { "run.sh": "deepspeed --hostfile hosts --elastic_training --master_addr node1 train.py\n" };
const both = { tensor_parallel: { autotp_size: 2 }, expert_parallel: { enabled: true, autoep_size: 2 } };

export const deepspeedCases: readonly LaunchCase[] = [
  inFile("ds.json", (more) => `{ "train_batch_size": 8, ${more} }`)(
    "D011",
    '"steps_per_print": 1, "steps_per_print": 10',
    '"steps_per_print": 10',
  ),
  {
    name: "D012",
    fires: {
      "run.sh": "deepspeed --num_gpus 8 train.py --deepspeed_config ds.json\n",
      "ds.json": "train_batch_size = 8\n",
    },
    silent: {
      "run.sh": "deepspeed --num_gpus 8 train.py --deepspeed_config ds.json\n",
      "ds.json": '{ "train_batch_size": 8 }',
    },
  },
  {
    ...config("D025", {}, { bf16: { enabled: false }, fp16: { enabled: true } }),
    supplied: { gpu: "v100", world: 8 },
  },
  config(
    "D055",
    { zero_optimization: { stage: 2, offload_param: { device: "cpu" } }, optimizer: adam },
    { zero_optimization: { stage: 3, offload_param: { device: "cpu" } }, optimizer: adam },
  ),
  config(
    "D057 stage",
    { zero_optimization: true, optimizer: adam },
    { zero_optimization: { stage: 1 }, optimizer: adam },
  ),
  config(
    "D057 offload",
    { zero_optimization: { stage: 2, cpu_offload: true }, optimizer: adam },
    { zero_optimization: { stage: 2, offload_optimizer: { device: "cpu" } }, optimizer: adam },
  ),
  config(
    "D057 parameters",
    { zero_optimization: { stage: 3, cpu_offload_param: true }, optimizer: adam },
    { zero_optimization: { stage: 3, offload_param: { device: "cpu" } }, optimizer: adam },
  ),
  config(
    "D057 gather",
    { zero_optimization: { stage: 3, stage3_gather_fp16_weights_on_model_save: true }, optimizer: adam },
    { zero_optimization: { stage: 3, stage3_gather_16bit_weights_on_model_save: true }, optimizer: adam },
  ),
  config(
    "D101 width",
    { ...both, tensor_parallel: { autotp_size: 1 }, expert_parallel: { enabled: true, autoep_size: 3 } },
    both,
  ),
  config(
    "D101 expert tensors",
    { expert_parallel: { enabled: true, autoep_size: 2, expert_tensor_parallel_size: 2 } },
    { expert_parallel: { enabled: true, autoep_size: 2, expert_tensor_parallel_size: 1 } },
  ),
  config("D101 experts", { ...both, expert_parallel: { enabled: true, autoep_size: 1 } }, both),
  config("D101 sequence", { ...both, sequence_parallel_size: 2 }, both),
  config(
    "D101 offload",
    { ...both, optimizer: adam, zero_optimization: { stage: 2, offload_optimizer: { device: "cpu" } } },
    { ...both, optimizer: adam, zero_optimization: { stage: 2 } },
  ),
  config("D101 compile", { ...both, compile: { deepcompile: true } }, { ...both, compile: { deepcompile: false } }),
  config(
    "D101 presets",
    {
      tensor_parallel: { autotp_size: 2, preset_model: "mixtral" },
      expert_parallel: { enabled: true, autoep_size: 2, preset_model: "qwen3_moe" },
    },
    {
      tensor_parallel: { autotp_size: 2, preset_model: "mixtral" },
      expert_parallel: { enabled: true, autoep_size: 2, preset_model: "mixtral" },
    },
  ),
  config("D104", { tensor_parallel: { autotp_size: 3 } }, { tensor_parallel: { autotp_size: 4 } }),
  config(
    "D106",
    { ...both, use_data_before_expert_parallelism: true },
    { ...both, use_data_before_expert_parallelism: false },
  ),
  sequence("D108 divides", 3, 4),
  sequence("D108 most", 16, 8),
  program("D109", { sequence_parallel_size: 2 }, { sequence_parallel_size: 2, data_parallel_size: 4 }),
  {
    name: "D125",
    fires: {
      "run.sh": `export DEEPSPEED_ELASTICITY_CONFIG='{"max_train_batch_size": 32, "micro_batch_sizes": [2]}'\ndeepspeed --num_gpus 8 train.py --deepspeed_config ds.json\n`,
      "ds.json": JSON.stringify({
        train_batch_size: 64,
        elasticity: { enabled: true, max_train_batch_size: 64, micro_batch_sizes: [2] },
      }),
    },
    silent: {
      "run.sh": "deepspeed --num_gpus 8 train.py --deepspeed_config ds.json\n",
      "ds.json": JSON.stringify({ train_batch_size: 64, train_micro_batch_size_per_gpu: 2 }),
    },
  },
  command("D127 both", "--include localhost:0,1 --exclude localhost:1", "--include localhost:0,1"),
  hosts("D127 host", "--include node3", "--include node2"),
  hosts("D127 slot", "--exclude node2:8", "--exclude node2:7"),
  command("D128", "--num_gpus 2 --include localhost:0,1", "--include localhost:0,1"),
  command("D128 nodes", "--num_nodes 1 --exclude localhost:1", "--exclude localhost:1"),
  hosts("D129", "--num_nodes 3", "--num_nodes 2"),
  hosts("D130", "--num_nodes 1:2", "--num_nodes 1:2 --elastic_training --master_addr node1"),
  hosts("D133", "--no_ssh --node_rank 2 --master_addr node1", "--no_ssh --node_rank 1 --master_addr node1"),
  hosts("D134 address", "--elastic_training", "--elastic_training --master_addr node1"),
  hosts(
    "D134 nodes",
    "--elastic_training --master_addr node1 --min_elastic_nodes 0",
    "--elastic_training --master_addr node1 --min_elastic_nodes 1",
  ),
  hosts(
    "D134 rank",
    "--elastic_training --master_addr node1 --no_local_rank",
    "--elastic_training --master_addr node1",
  ),
  {
    name: "D134 release",
    fires: { ...elastic, "requirements.txt": "deepspeed==0.19.8\n" },
    silent: { ...elastic, "requirements.txt": "deepspeed==0.18.2\n" },
  },
  hosts("D135", "--launcher pdhs", "--launcher pdsh"),
  hosts("D138", "--launcher slurm --include node1", "--launcher slurm"),
  hosts("D138 exclude", "--launcher slurm --exclude node1:0,1", "--launcher slurm --exclude node1"),
  {
    name: "D138 release",
    fires: { ...included, "requirements.txt": "deepspeed==0.18.2\n" },
    silent: { ...included, "requirements.txt": "deepspeed==0.19.8\n" },
  },
  command("D139", "--num_gpus 8 --module --no_python", "--num_gpus 8 --module"),
];
