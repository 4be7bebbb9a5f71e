/** The long options of `sbatch` (Slurm 22.05 to 25.05) that may be written in `raw sbatch { … }`. */

/** Which the compiler derives or has a name of its own for: what to write instead. */
export const owned: Readonly<Record<string, string>> = {
  nodes: "the cluster of the launch sets the number of nodes",
  ntasks: "one launcher runs per node, and it starts the ranks",
  "ntasks-per-node": "one launcher runs per node, and it starts the ranks",
  "ntasks-per-gpu": "one launcher runs per node, and it starts the ranks",
  "ntasks-per-socket": "one launcher runs per node, and it starts the ranks",
  "ntasks-per-core": "one launcher runs per node, and it starts the ranks",
  gpus: "the cluster of the launch sets the number of GPUs per node",
  "gpus-per-task": "it would hide the GPUs of a node from each other; the cluster sets their number per node",
  "gpus-per-socket": "the cluster of the launch sets the number of GPUs per node",
  signal: "write `lead`",
  "open-mode": "a requeued job appends to its log",
  requeue: "write `requeue`",
  "no-requeue": "write `requeue`",
  output: "the log belongs to the run directory",
  error: "the log belongs to the run directory",
  input: "the launchers read no input",
  chdir: "the job runs in the project's folder",
  export: "write `env`; a secret is named there and passed on",
  "export-file": "write `env`; a secret is named there and passed on",
  "get-user-env": "write `env`; a secret is named there and passed on",
  "job-name": "the job is named after its step and its run",
  dependency: "the order of steps follows from the file",
  "kill-on-invalid-dep": "the order of steps follows from the file",
  array: "a run is one job",
  wrap: "the script is derived",
  parsable: "cdrc reads the output of sbatch",
  quiet: "cdrc reads the output of sbatch",
  verbose: "cdrc reads the output of sbatch",
  wait: "cdrc follows the job",
  "test-only": "`cdrc run --dry-run` prints the request",
  "no-kill": "a job that lost a node cannot continue; it is requeued",
  partition: "write `partition`",
  account: "write `account`",
  qos: "write `qos`",
  time: "write `time`",
  exclusive: "write `exclusive`",
  "cpus-per-task": "write `cpus`",
  mem: "write `memory`",
  constraint: "write `constraint`",
  reservation: "write `reservation`",
};

/** Passed on as they are, with those that pyxis adds where a site has it. `gres` and `gpus-per-node` are compared with the cluster. */
export const free: ReadonlySet<string> = new Set(
  `acctg-freq batch bb bbf begin cluster-constraint clusters comment consolidate-segments container container-id
   contiguous core-spec cores-per-socket cpu-freq cpus-per-gpu deadline delay-boot distribution exclude extra
   extra-node-info gid gpu-bind gpu-freq gpus-per-node gres gres-flags hint hold ignore-pbs licenses mail-type
   mail-user mcs-label mem-bind mem-per-cpu mem-per-gpu mincpus network nice nodefile nodelist oom-kill-step
   overcommit oversubscribe power prefer priority profile propagate reboot resv-ports segment sockets-per-node
   spread-job stepmgr switches thread-spec threads-per-core time-min tmp tres-bind tres-per-task uid
   use-min-nodes wait-all-nodes wckey x11
   container-entrypoint container-env container-image container-mount-home container-mounts container-name container-readonly
   container-remap-root container-save container-workdir container-writable no-container-entrypoint
   no-container-mount-home no-container-remap-root`.split(/\s+/),
);

/** `mail_type`, `--mail-type` and `mail-type` are one option. */
export function optionName(written: string): string {
  return written.replace(/^--/, "").replaceAll("_", "-");
}
