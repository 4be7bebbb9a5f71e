/** Options of sbatch. Source: sbatch(1) of Slurm 22.05, asked of the program itself, and of the releases up to 25.05. */
const names = (text: string): readonly string[] => text.trim().split(/\s+/);

/** Options whose value may stand in the next word. */
export const sbatchValued: ReadonlySet<string> = new Set(
  names(`account acctg_freq array batch bb bbf begin chdir cluster_constraint clusters comment constraint container
    container_id core_spec cores_per_socket cpu_freq cpus_per_gpu cpus_per_task deadline delay_boot dependency distribution
    error exclude export export_file extra extra_node_info gid gpu_bind gpu_freq gpus gpus_per_node gpus_per_socket
    gpus_per_task gres gres_flags hint input job_name kill_on_invalid_dep licenses mail_type mail_user mcs_label mem
    mem_bind mem_per_cpu mem_per_gpu mincpus network nodefile nodelist nodes ntasks ntasks_per_core ntasks_per_gpu
    ntasks_per_node ntasks_per_socket ntasks_per_tres open_mode output partition power prefer priority profile qos
    reservation segment signal sockets_per_node switches tasks_per_node thread_spec threads_per_core time time_min tmp
    tres_bind tres_per_task uid wait_all_nodes wckey wrap`),
);

/** Options that take a value behind `=` or none. */
const optional = names("exclusive get_user_env nice no_kill oom_kill_step propagate resv_ports");

/** Options that take none at all. */
export const sbatchFlags: ReadonlySet<string> = new Set(
  names(`consolidate_segments contiguous external_launcher help hold ignore_pbs no_requeue overcommit oversubscribe parsable
    quiet reboot requeue share spread_job spread_segments stepmgr test_only usage use_min_nodes verbose version wait`),
);

export const sbatchOptions: ReadonlySet<string> = new Set([...sbatchValued, ...optional, ...sbatchFlags]);

/** Options of srun alone, which look as if a job had them. Source: srun(1). */
export const ofSteps: ReadonlySet<string> = new Set(
  names(`accel_bind bcast bcast_exclude cpu_bind compress disable_status epilog exact immediate interactive jobid
    kill_on_bad_exit label mpi msg_timeout multi_prog no_allocate overlap preserve_env prolog pty quit_on_interrupt
    relative send_libs slurmd_debug task_epilog task_prolog threads unbuffered x11`),
);

/** The option that a long name stands for, as getopt shortens it; itself where it stands for none or for several. */
export function sbatchName(name: string): string {
  if (name === "tasks_per_node") return "ntasks_per_node";
  if (sbatchOptions.has(name) || name === "") return name;
  const hits = startingWith(name);
  return hits.length === 1 ? (hits[0] ?? name) : name;
}

export function startingWith(name: string): readonly string[] {
  return [...sbatchOptions].filter((each) => each.startsWith(name));
}

export const sbatchShort: Readonly<Record<string, string>> = {
  "-a": "array",
  "-A": "account",
  "-b": "begin",
  "-B": "extra_node_info",
  "-c": "cpus_per_task",
  "-C": "constraint",
  "-d": "dependency",
  "-D": "chdir",
  "-e": "error",
  "-F": "nodefile",
  "-G": "gpus",
  "-h": "help",
  "-H": "hold",
  "-i": "input",
  "-J": "job_name",
  "-k": "no_kill",
  "-L": "licenses",
  "-m": "distribution",
  "-M": "clusters",
  "-n": "ntasks",
  "-N": "nodes",
  "-o": "output",
  "-O": "overcommit",
  "-p": "partition",
  "-q": "qos",
  "-Q": "quiet",
  "-s": "oversubscribe",
  "-S": "core_spec",
  "-t": "time",
  "-v": "verbose",
  "-V": "version",
  "-w": "nodelist",
  "-W": "wait",
  "-x": "exclude",
};
