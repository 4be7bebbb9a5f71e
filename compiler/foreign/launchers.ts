import type { OptionTable } from "./options.ts";

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Options that take a value. Source: torch/distributed/run.py: get_args_parser. */
export const torchrun: OptionTable = {
  valued:
    set(`nnodes nproc_per_node rdzv_backend rdzv_endpoint rdzv_id rdzv_conf max_restarts monitor_interval start_method
    event_log_handler role log_dir redirects tee local_ranks_filter node_rank master_addr master_port local_addr logs_specs
    numa_binding signals_to_handle virtual_local_rank`),
  short: { "-m": "module", "-r": "redirects", "-t": "tee" },
};

/** Source: deepspeed/launcher/runner.py: parse_args. */
export const deepspeed: OptionTable = {
  valued:
    set(`hostfile include exclude num_nodes min_elastic_nodes max_elastic_nodes num_gpus num_accelerators master_port master_addr
    node_rank launcher launcher_args autotuning bind_core_list ssh_port venv_script log_level enable_each_rank_log`),
  short: { "-H": "hostfile", "-i": "include", "-e": "exclude", "-q": "quiet" },
};

/** Source: accelerate/commands/launch.py: launch_command_parser. */
export const accelerate: OptionTable = {
  valued:
    set(`config_file mixed_precision num_processes num_machines num_cpu_threads_per_process dynamo_backend dynamo_mode gpu_ids
    same_network machine_rank main_process_ip main_process_port tee log_dir role rdzv_backend rdzv_conf max_restarts
    monitor_interval deepspeed_config_file zero_stage offload_optimizer_device offload_param_device
    offload_optimizer_nvme_path offload_param_nvme_path gradient_accumulation_steps gradient_clipping zero3_init_flag
    zero3_save_16bit_model deepspeed_hostfile deepspeed_exclusion_filter deepspeed_inclusion_filter
    deepspeed_multinode_launcher deepspeed_moe_layer_cls_names fsdp_version fsdp_offload_params fsdp_min_num_params
    fsdp_sharding_strategy fsdp_auto_wrap_policy fsdp_transformer_layer_cls_to_wrap fsdp_backward_prefetch
    fsdp_state_dict_type fsdp_forward_prefetch fsdp_use_orig_params fsdp_cpu_ram_efficient_loading
    fsdp_sync_module_states fsdp_activation_checkpointing fsdp_reshard_after_forward downcast_bf16`),
  short: { "-m": "module" },
};

/** Source: srun(1). */
export const srun: OptionTable = {
  valued:
    set(`nodes ntasks ntasks_per_node cpus_per_task gpus gpus_per_node gpus_per_task gres partition account qos time job_name
    output error input nodelist exclude mem mem_per_cpu mem_per_gpu cpu_bind gpu_bind mpi export chdir constraint
    container_image container_name container_mounts container_workdir container_mount_home distribution jobid het_group
    kill_on_bad_exit open_mode relative threads_per_core wait signal dependency reservation ntasks_per_gpu
    ntasks_per_socket mem_bind tres_per_task propagate unbuffered_`),
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
  },
};

/** Source: mpirun(1) of Open MPI. */
export const mpirun: OptionTable = {
  valued: set(
    "np n c host hostfile machinefile map_by bind_to rank_by npernode N mca x H prefix wdir output_filename report_bindings_",
  ),
  short: {
    "-np": "np",
    "-n": "np",
    "-c": "np",
    "-H": "host",
    "-N": "npernode",
    "-npernode": "npernode",
    "-x": "x",
    "-mca": "mca",
  },
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
