import type { OptionTable } from "./options.ts";

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Options that take a value. Source: torch/distributed/run.py: get_args_parser. */
export const torchrun: OptionTable = {
  valued:
    set(`nnodes nproc_per_node rdzv_backend rdzv_endpoint rdzv_id rdzv_conf max_restarts monitor_interval start_method
    event_log_handler role log_dir redirects tee local_ranks_filter node_rank master_addr master_port local_addr logs_specs
    numa_binding signals_to_handle log_line_prefix_template duplicate_stdout_filters duplicate_stderr_filters
    shutdown_timeout print_completion`),
  short: { "-m": "module", "-r": "redirects", "-t": "tee", "-h": "help" },
  switches: set("standalone no_python run_path use_env virtual_local_rank module help"),
};

/** Source: colossalai/cli/launcher: run, whose `--hostfile` and `--host` give the nodes. */
export const colossalai: OptionTable = {
  valued: set(
    `host hostfile include exclude num_nodes nproc_per_node master_port master_addr extra_launch_args ssh_port`,
  ),
  short: { "-H": "host", "-m": "module" },
};

/** Source: deepspeed/launcher/runner.py: parse_args. */
export const deepspeed: OptionTable = {
  valued:
    set(`hostfile include exclude num_nodes min_elastic_nodes max_elastic_nodes num_gpus num_accelerators master_port master_addr
    node_rank launcher launcher_args autotuning bind_core_list ssh_port venv_script log_level enable_each_rank_log`),
  short: { "-H": "hostfile", "-i": "include", "-e": "exclude", "-q": "quiet" },
  switches: set(`force_multi no_ssh no_ssh_check no_python no_local_rank module save_pid elastic_training print_env
    bind_cores_to_rank quiet help`),
};

/** Source: accelerate/commands/launch.py: launch_command_parser. */
export const accelerate: OptionTable = {
  valued:
    set(`config_file mixed_precision num_processes num_machines num_cpu_threads_per_process dynamo_backend dynamo_mode gpu_ids
    machine_rank main_process_ip main_process_port tee log_dir role rdzv_backend rdzv_conf max_restarts
    monitor_interval deepspeed_config_file zero_stage offload_optimizer_device offload_param_device
    offload_optimizer_nvme_path offload_param_nvme_path gradient_accumulation_steps gradient_clipping zero3_init_flag
    zero3_save_16bit_model deepspeed_hostfile deepspeed_exclusion_filter deepspeed_inclusion_filter
    deepspeed_multinode_launcher deepspeed_moe_layer_cls_names fsdp_version fsdp_offload_params fsdp_min_num_params
    fsdp_sharding_strategy fsdp_auto_wrap_policy fsdp_transformer_layer_cls_to_wrap fsdp_backward_prefetch
    fsdp_state_dict_type fsdp_forward_prefetch fsdp_use_orig_params fsdp_cpu_ram_efficient_loading
    fsdp_sync_module_states fsdp_activation_checkpointing fsdp_reshard_after_forward
    fsdp_activation_checkpointing_offload vm env main_training_function aws_access_key_id aws_secret_access_key
    mpirun_hostfile fp8_backend fp8_margin fp8_interval fp8_format fp8_amax_history_len fp8_amax_compute_algo
    fp8_override_linear_precision fp8_opt_level fp8_enable_fsdp_float8_all_gather fp8_pad_inner_dim
    megatron_lm_tp_degree megatron_lm_pp_degree megatron_lm_num_micro_batches megatron_lm_sequence_parallelism
    megatron_lm_recompute_activations megatron_lm_recompute_granularity megatron_lm_recompute_method
    megatron_lm_recompute_num_layers megatron_lm_use_distributed_optimizer megatron_lm_gradient_clipping
    megatron_lm_use_custom_fsdp megatron_lm_no_load_optim megatron_lm_no_save_optim megatron_lm_eod_mask_loss
    megatron_lm_optimizer_cpu_offload megatron_lm_overlap_cpu_optimizer_d2h_h2d
    megatron_lm_use_precision_aware_optimizer megatron_lm_decoder_last_pipeline_num_layers
    megatron_lm_attention_backend megatron_lm_attention_dropout megatron_lm_hidden_dropout
    megatron_lm_attention_softmax_in_fp32 megatron_lm_calculate_per_token_loss
    megatron_lm_use_rotary_position_embeddings megatron_lm_context_parallel_size
    megatron_lm_expert_model_parallel_size megatron_lm_expert_tensor_parallel_size
    parallelism_config_dp_replicate_size parallelism_config_dp_shard_size parallelism_config_tp_size
    parallelism_config_cp_size parallelism_config_cp_backend parallelism_config_cp_comm_strategy
    parallelism_config_sp_size parallelism_config_sp_backend parallelism_config_sp_seq_length
    parallelism_config_sp_seq_length_is_variable parallelism_config_sp_attn_implementation`),
  short: { "-m": "module", "-t": "tee" },
  switches: set(`cpu debug downcast_bf16 dynamo_use_dynamic dynamo_use_fullgraph dynamo_use_regional_compilation
    enable_cpu_affinity fp8_use_autocast_during_eval help h ipex m module mpirun_ccl mps multi_gpu no_python no_tpu_cluster quiet q
    same_network tpu tpu_cluster tpu_use_sudo use_deepspeed use_fsdp use_megatron_lm use_mps_device use_parallelism_config use_xpu`),
};

/** Source: srun(1), and pyxis. A value that may be left out, as that of `--kill-on-bad-exit`, stands behind `=` alone. */
export const srun: OptionTable = {
  valued:
    set(`nodes ntasks ntasks_per_node cpus_per_task gpus gpus_per_node gpus_per_task gres partition account qos time job_name
    output error input nodelist exclude mem mem_per_cpu mem_per_gpu cpu_bind gpu_bind mpi export chdir constraint
    container_image container_name container_mounts container_workdir container_save container_env distribution jobid
    het_group open_mode relative threads_per_core wait signal dependency reservation ntasks_per_gpu ntasks_per_socket
    ntasks_per_core mem_bind tres_per_task tres_bind accel_bind acctg_freq bb bbf begin clusters comment constraint
    container core_spec cores_per_socket cpu_freq cpus_per_gpu deadline delay_boot epilog prolog extra
    extra_node_info gid uid gpu_freq gres_flags hint licenses mail_type mail_user mcs_label mincpus msg_timeout network
    power prefer priority profile segment slurmd_debug sockets_per_node switches task_epilog task_prolog thread_spec
    threads time_min tmp wckey bcast_exclude cluster_constraint oom_kill_step array`),
  short: {
    "-N": "nodes",
    "-n": "ntasks",
    "-c": "cpus_per_task",
    "-G": "gpus",
    "-p": "partition",
    "-A": "account",
    "-q": "qos",
    "-t": "time",
    "-J": "job_name",
    "-o": "output",
    "-e": "error",
    "-i": "input",
    "-w": "nodelist",
    "-x": "exclude",
    "-C": "constraint",
    "-D": "chdir",
    "-d": "dependency",
    "-m": "distribution",
    "-r": "relative",
    "-W": "wait",
    "-a": "array",
    "-K": "kill_on_bad_exit",
    "-B": "extra_node_info",
    "-L": "licenses",
    "-M": "clusters",
    "-S": "core_spec",
  },
};

/** Sources: mpirun(1) of Open MPI, mpiexec(1) of MPICH and of PALS. One dash stands before long names too. */
export const mpirun: OptionTable = {
  valued:
    set(`np n c host hosts hostfile machinefile default_hostfile map_by bind_to rank_by npernode npersocket N x H prefix
    wdir wd output_filename output display path app am tune timeout stdin rankfile rf pset personality runtime_options
    cpu_set cpu_list cpus_per_proc cpus_per_rank slot_list report_pid report_uri preload_files tmpdir max_restarts
    ppn perhost grr f genvlist envlist configfile launcher launcher_exec bootstrap bootstrap_exec iface rmk usize
    prepend_pattern outfile_pattern errfile_pattern membind gpus_per_proc gpu_subdevs_per_proc order_nodes
    cpu_bind cpu_binding mem_bind gpu_bind depth d`),
  pairs: set("mca gmca omca prtemca pmixmca genv env"),
  short: { "-np": "np", "-n": "np", "-c": "np", "-H": "host" },
  isWhole: true,
};

export const docker: OptionTable = {
  valued:
    set(`gpus shm_size ipc network net volume env workdir name ulimit mount user entrypoint runtime memory cpus hostname env_file
    device cap_add security_opt label pid publish`),
  short: {
    "-v": "volume",
    "-e": "env",
    "-w": "workdir",
    "-u": "user",
    "-p": "publish",
    "-h": "hostname",
    "-m": "memory",
  },
};

/** Source: flux-run(1). */
export const flux: OptionTable = {
  valued:
    set(`nodes np cores_per_task gpus_per_task exclusive_ queue time_limit env env_file output error input setopt
    requires job_name o t label_io_ taskmap cwd bank`),
  short: {
    "-n": "np",
    "-N": "nodes",
    "-c": "cores_per_task",
    "-g": "gpus_per_task",
    "-q": "queue",
    "-t": "time_limit",
  },
};

/** Source: jsrun(1): the number of processes is known where each set of resources has one. */
export const jsrun: OptionTable = {
  valued: set(
    `nrs tasks_per_rs cpu_per_rs gpu_per_rs rs_per_host np bind launch_distribution smpiargs env E b d l h`,
  ),
  short: {
    "-n": "nrs",
    "-a": "tasks_per_rs",
    "-c": "cpu_per_rs",
    "-g": "gpu_per_rs",
    "-r": "rs_per_host",
    "-p": "np",
    "-b": "bind",
    "-d": "launch_distribution",
  },
};
