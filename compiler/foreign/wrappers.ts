/** Programs that only start another. */
export interface Wrapper {
  /** Words that must follow: the name of a verb, with its other names. */
  readonly verbs?: readonly (readonly string[])[];
  /** Words of its own besides options, such as an image. */
  readonly words?: number;
  /** Options that take a value. */
  readonly valued?: readonly string[];
  /** The command stands behind `--` where there is one. */
  readonly dashes?: boolean;
  /** The command ends here. */
  readonly until?: RegExp;
  /** Words that it reads when it runs take the place of what `-I` names, or stand at the end. */
  readonly input?: boolean;
  /** Options that set a variable: `NAME=VALUE`, several of them divided by commas where `list`. */
  readonly sets?: readonly string[];
  readonly list?: boolean;
  /** Options that name a file of `NAME=VALUE` lines. */
  readonly files?: readonly string[];
  /** Options whose value lists variables behind a first word such as `ALL`. */
  readonly exports?: readonly string[];
}

const image = (...verbs: readonly string[]): Wrapper => ({
  verbs: [verbs],
  words: 1,
  valued: [
    "bind",
    "B",
    "env",
    "env_file",
    "pwd",
    "home",
    "H",
    "overlay",
    "o",
    "workdir",
    "W",
    "scratch",
    "S",
    "network",
  ],
  sets: ["--env"],
  list: true,
  files: ["--env-file"],
});

const runner = (...valued: readonly string[]): Wrapper => ({ verbs: [["run"]], valued });

/** Sources: the programs' own `--help`. */
export const wrappers: Readonly<Record<string, Wrapper>> = {
  nohup: {},
  flock: { words: 1, valued: ["w", "timeout", "E", "conflict_exit_code"] },
  sshpass: { valued: ["p", "f", "d", "P"] },
  time: {},
  exec: {},
  command: {},
  sudo: { valued: ["user", "u", "g"] },
  timeout: { words: 1, valued: ["signal", "kill_after", "k", "s"] },
  numactl: { valued: ["N", "m", "C", "i", "p"] },
  stdbuf: { valued: ["i", "o", "e"] },
  nice: { valued: ["n"] },
  ionice: { valued: ["c", "n"] },
  taskset: { words: 1 },
  setsid: {},
  env: { valued: ["u", "unset", "C", "chdir"] },
  uv: runner(
    ...["with", "with_editable", "with_requirements", "python", "p", "package", "project", "directory", "env_file"],
    ...["extra", "group", "only_group", "no_group", "no_extra", "index", "default_index", "index_url", "i", "f"],
    ...["find_links", "config_file", "cache_dir", "link_mode", "refresh_package", "upgrade_package", "P", "w"],
  ),
  poetry: runner("directory", "C", "project", "P"),
  pipenv: runner("python", "pypi_mirror"),
  pdm: runner("project", "p", "env_file", "site_packages"),
  rye: runner("pyproject"),
  pixi: runner("environment", "e", "manifest_path", "feature"),
  conda: runner("n", "name", "p", "prefix", "cwd"),
  mamba: runner("n", "name", "p", "prefix", "cwd"),
  micromamba: runner("n", "name", "p", "prefix", "cwd", "e", "env", "a", "attach", "r", "root_prefix"),
  singularity: image("exec", "run"),
  apptainer: image("exec", "run"),
  enroot: {
    verbs: [["start", "exec"]],
    words: 1,
    valued: ["c", "conf", "e", "env", "m", "mount", "rc"],
    sets: ["-e", "--env"],
  },
  kubectl: {
    verbs: [["exec"]],
    words: 1,
    dashes: true,
    valued: ["n", "namespace", "c", "container", "context", "kubeconfig"],
  },
  ray: {
    verbs: [["job"], ["submit"]],
    dashes: true,
    valued: [
      ...[
        "address",
        "job_id",
        "submission_id",
        "runtime_env",
        "runtime_env_json",
        "working_dir",
        "entrypoint_num_cpus",
      ],
      ...["entrypoint_num_gpus", "entrypoint_memory", "entrypoint_resources", "metadata_json", "headers", "verify"],
    ],
  },
  xargs: {
    valued: [
      "I",
      "n",
      "max_args",
      "P",
      "max_procs",
      "L",
      "l",
      "s",
      "max_chars",
      "d",
      "delimiter",
      "a",
      "arg_file",
      "E",
    ],
    input: true,
  },
  parallel: {
    until: /^:::[:+]*$/,
    valued: [
      ...[
        "j",
        "jobs",
        "P",
        "S",
        "sshlogin",
        "sshloginfile",
        "slf",
        "workdir",
        "wd",
        "a",
        "arg_file",
        "delay",
        "joblog",
      ],
      ...["timeout", "retries", "results", "tmpdir", "N", "n", "max_args", "I", "env", "halt", "colsep", "C", "d"],
    ],
  },
  nsys: {
    verbs: [["profile", "launch"]],
    valued: [
      ...["o", "output", "t", "trace", "s", "sample", "c", "capture_range", "capture_range_end", "e", "env_var", "f"],
      ...["force_overwrite", "w", "x", "d", "duration", "y", "delay", "n", "p", "session_new", "session", "cpuctxsw"],
      ...[
        "cuda_graph_trace",
        "cuda_memory_usage",
        "gpu_metrics_devices",
        "stats",
        "b",
        "backtrace",
        "python_sampling",
      ],
    ],
  },
};
