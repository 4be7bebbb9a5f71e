/** Configurations of Megatron Bridge. */
import { inFile, type LaunchCase } from "./case.ts";

const container = inFile("b.yaml", (more) => `model:\n  tensor_model_parallel_size: 2\n  seq_length: 4096\n${more}`);
const whole = inFile(
  "b.yaml",
  (more) => `_target_: megatron.bridge.training.config.ConfigContainer\nmodel:\n  seq_length: 4096\n${more}`,
);
const packed = (model: string, more: string): string =>
  `  context_parallel_size: 2\n${model}dataset:\n  packed_sequence_specs:\n    packed_sequence_size: 4096\n${more}`;
const run = (settings: Readonly<Record<string, string | number>>): string =>
  `train:\n${Object.entries(settings)
    .map(([name, value]) => `  ${name}: ${value}\n`)
    .join("")}`;

export const bridgeCases: readonly LaunchCase[] = [
  container("B002", "  context_parallel_size: 3\n", "  context_parallel_size: 4\n"),
  container("B003", run({ train_iters: 100, train_samples: 1000 }), run({ train_iters: 100 })),
  container("B003 epochs", run({ train_iters: 100, num_epochs: 2 }), run({ num_epochs: 2 })),
  whole("B003 neither", run({ micro_batch_size: 1 }), run({ micro_batch_size: 1, train_iters: 100 })),
  container(
    "B004",
    run({ train_samples: 100, rampup_batch_size: "[8, 8, 100]" }),
    run({ train_iters: 100, rampup_batch_size: "[8, 8, 100]" }),
  ),
  container(
    "B004 epochs",
    run({ num_epochs: 1, rampup_batch_size: "[8, 8, 100]" }),
    run({ train_iters: 100, rampup_batch_size: "[8, 8, 100]" }),
  ),
  container(
    "B005 mixed",
    "scheduler:\n  lr_decay_iters: 100\n  lr_warmup_samples: 10\n",
    "scheduler:\n  lr_decay_iters: 100\n  lr_warmup_iters: 10\n",
  ),
  container(
    "B005 fraction",
    "scheduler:\n  lr_warmup_fraction: 0.1\n  lr_warmup_iters: 10\n",
    "scheduler:\n  lr_warmup_fraction: 0.1\n  lr_warmup_iters: 0\n",
  ),
  container(
    "B005 units",
    `${run({ train_iters: 100 })}scheduler:\n  lr_decay_samples: 100\n`,
    `${run({ train_iters: 100 })}scheduler:\n  lr_decay_iters: 100\n`,
  ),
  container("B006", "scheduler:\n  lr_decay_iters: 0\n", "scheduler:\n  lr_decay_iters: 100\n"),
  container("B006 samples", "scheduler:\n  lr_decay_samples: 0\n", "scheduler:\n  lr_decay_samples: 100\n"),
  container(
    "B006 most",
    `${run({ train_iters: 100 })}scheduler:\n  max_steps: 50\n`,
    `${run({ train_iters: 100 })}scheduler:\n  max_steps: 100\n`,
  ),
  container("B007", "dataset:\n  seq_length: 2048\n", "dataset:\n  seq_length: 4096\n"),
  container("B008 path", "checkpoint:\n  async_save: true\n", "checkpoint:\n  async_save: true\n  save: out\n"),
  container(
    "B008 worker",
    "checkpoint:\n  async_save: true\n  save: out\n  use_persistent_ckpt_worker: false\n",
    "checkpoint:\n  async_save: true\n  save: out\n  use_persistent_ckpt_worker: true\n",
  ),
  container(
    "B008 format",
    "checkpoint:\n  async_save: true\n  save: out\n  ckpt_format: torch\n",
    "checkpoint:\n  async_save: true\n  save: out\n  ckpt_format: torch_dist\n",
  ),
  container("B009 step", "checkpoint:\n  ckpt_step: 10\n", "checkpoint:\n  ckpt_step: 10\n  load: out\n"),
  container(
    "B009 parameters",
    "checkpoint:\n  load_main_params_from_ckpt: true\n  load_optim: true\n",
    "checkpoint:\n  load_main_params_from_ckpt: true\n  load_optim: false\n",
  ),
  container(
    "B009 reshardable",
    "checkpoint:\n  dist_ckpt_optim_fully_reshardable: true\n  distrib_optim_fully_reshardable_mem_efficient: true\n",
    "checkpoint:\n  dist_ckpt_optim_fully_reshardable: true\n  distrib_optim_fully_reshardable_mem_efficient: false\n",
  ),
  container(
    "B011 format",
    "checkpoint:\n  save: out\n  ckpt_format: fsdp_dtensor\n",
    "checkpoint:\n  save: out\n  ckpt_format: fsdp_dtensor\nddp:\n  use_megatron_fsdp: true\n",
  ),
  container(
    "B011 both",
    "dist:\n  use_megatron_fsdp: true\n  use_torch_fsdp2: true\n",
    "dist:\n  use_megatron_fsdp: true\n  use_torch_fsdp2: false\n",
  ),
  container(
    "B012 mapping",
    "dist:\n  use_megatron_fsdp: true\n  use_tp_pp_dp_mapping: true\n",
    "dist:\n  use_megatron_fsdp: true\n  use_tp_pp_dp_mapping: false\n",
  ),
  container(
    "B012 registration",
    "ddp:\n  use_megatron_fsdp: true\n  fsdp_manual_registration: true\n  nccl_ub: false\n",
    "ddp:\n  use_megatron_fsdp: true\n  fsdp_manual_registration: true\n  nccl_ub: true\n",
  ),
  {
    name: "B012 queues",
    fires: {
      "b.yaml": "model:\n  tensor_model_parallel_size: 2\nddp:\n  use_megatron_fsdp: true\n",
      "run.sh": "export CUDA_DEVICE_MAX_CONNECTIONS=1\ntorchrun --nproc-per-node=8 run.py b.yaml\n",
    },
    silent: {
      "b.yaml": "model:\n  tensor_model_parallel_size: 2\nddp:\n  use_megatron_fsdp: true\n",
      "run.sh": "export CUDA_DEVICE_MAX_CONNECTIONS=8\ntorchrun --nproc-per-node=8 run.py b.yaml\n",
    },
  },
  container(
    "B015",
    "  cuda_graph_impl: full_iteration\n  use_te_rng_tracker: true\nrerun_state_machine:\n  check_for_nan_in_loss: true\n",
    "  cuda_graph_impl: full_iteration\n  use_te_rng_tracker: true\nrerun_state_machine:\n  check_for_nan_in_loss: false\n",
  ),
  container(
    "B015 scope",
    "  cuda_graph_impl: local\n  cuda_graph_scope: [full_iteration]\n  use_te_rng_tracker: true\nrerun_state_machine:\n  check_for_nan_in_loss: true\n",
    "  cuda_graph_impl: local\n  cuda_graph_scope: [full_iteration]\n  use_te_rng_tracker: true\nrerun_state_machine:\n  check_for_nan_in_loss: false\n",
  ),
  container(
    "B017",
    "dist:\n  use_decentralized_pg: true\n  use_gloo_process_groups: true\n",
    "dist:\n  use_decentralized_pg: true\n  use_gloo_process_groups: false\n",
  ),
  container(
    "B018 loss",
    packed("  calculate_per_token_loss: false\n", ""),
    packed("  calculate_per_token_loss: true\n", ""),
  ),
  container(
    "B018 average",
    packed("", "ddp:\n  average_in_collective: true\n"),
    packed("", "ddp:\n  average_in_collective: false\n"),
  ),
  container("B020", "peft:\n  dim: 8\n", "peft:\n  dim: 8\ncheckpoint:\n  pretrained_checkpoint: base\n"),
  container(
    "B029",
    "  cuda_graph_impl: local\nrng:\n  te_rng_tracker: false\n",
    "  cuda_graph_impl: local\nrng:\n  te_rng_tracker: true\n",
  ),
  {
    name: "M106",
    fires: { "b.yaml": "model:\n  sequence_parallel: true\n  tensor_model_parallel_size: 1\n" },
    silent: { "b.yaml": "model:\n  sequence_parallel: true\n  tensor_model_parallel_size: 2\n" },
  },
  container(
    "M241",
    "  bias_activation_fusion: true\n  activation_func: torch.nn.functional.gelu\n  gated_linear_unit: false\n  add_bias_linear: false\n",
    "  bias_activation_fusion: true\n  activation_func: torch.nn.functional.gelu\n  gated_linear_unit: false\n  add_bias_linear: true\n",
  ),
];
