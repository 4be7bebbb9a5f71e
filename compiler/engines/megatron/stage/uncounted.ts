/** Arguments that change what a run allocates or how long it takes, and that no estimate reads. */

const memory = "memory";
const time = "time";
const both = "memory and time";

export const uncounted: Readonly<Record<string, string>> = {
  mtp_num_layers: both,
  fine_grained_activation_offloading: both,
  offload_modules: both,
  activation_offload_fraction: both,
  cpu_offloading_num_layers: both,
  use_megatron_fsdp: both,
  use_torch_fsdp2: both,
  data_parallel_sharding_strategy: both,
  num_distributed_optimizer_instances: both,
  distribute_saved_activations: both,
  mhc_recompute_layer_num: both,
  enable_mhc_connections: both,
  moe_latent_size: both,
  moe_paged_stash: memory,
  moe_layer_recompute: both,
  moe_token_dispatcher_type: both,
  moe_dispatch_fwd_dtype: both,
  moe_shared_expert_overlap: time,
  overlap_moe_expert_parallel_comm: both,
  delay_wgrad_compute: both,
  defer_embedding_wgrad_compute: both,
  tp_comm_overlap: both,
  overlap_param_gather_with_optimizer_step: time,
  nccl_ub: memory,
  cuda_graph_impl: both,
  enable_cuda_graph: both,
  cp_comm_type: time,
  hierarchical_context_parallel_sizes: time,
  rampup_batch_size: time,
  step_batch_size_schedule: time,
  first_last_layers_bf16: both,
  window_size: both,
  attention_output_gate: both,
};
