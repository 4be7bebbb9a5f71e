import { sbatchShort, sbatchValued } from "../slurm/options.ts";

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
  /** With one of these no program stands behind. */
  readonly unless?: readonly string[];
  /** The command stands behind one of these options. */
  readonly behind?: readonly string[];
  /** Words that it reads when it runs take the place of what `-I` names, or stand at the end. */
  readonly input?: boolean;
  /** Options that set a variable: `NAME=VALUE`, several of them divided by commas where `list`. */
  readonly sets?: readonly string[];
  readonly list?: boolean;
  /** Options that name a file of `NAME=VALUE` lines. */
  readonly files?: readonly string[];
  /** Options that name the folder that the command runs in; with `isInside` it is one of a container. */
  readonly moves?: readonly string[];
  readonly isInside?: true;
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
    "cwd",
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
  moves: ["--pwd", "--cwd"],
  isInside: true,
});

const runner = (...valued: readonly string[]): Wrapper => ({ verbs: [["run"]], valued });

const cluster: Wrapper = {
  verbs: [["exec", "run", "debug"]],
  words: 1,
  dashes: true,
  valued: ["n", "namespace", "c", "container", "context", "kubeconfig", "image", "overrides", "restart", "labels"],
};

const valued = (text: string): readonly string[] => text.split(" ");

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
  env: { valued: ["u", "unset", "C", "chdir"], moves: ["-C", "--chdir"], unless: ["-S", "--split-string"] },
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
  conda: { ...runner("n", "name", "p", "prefix", "cwd"), moves: ["--cwd"] },
  mamba: { ...runner("n", "name", "p", "prefix", "cwd"), moves: ["--cwd"] },
  micromamba: runner("n", "name", "p", "prefix", "cwd", "e", "env", "a", "attach", "r", "root_prefix"),
  singularity: image("exec", "run"),
  apptainer: image("exec", "run"),
  enroot: {
    verbs: [["start", "exec"]],
    words: 1,
    valued: ["c", "conf", "e", "env", "m", "mount", "rc"],
    sets: ["-e", "--env"],
  },
  kubectl: cluster,
  oc: cluster,
  microk8s: { verbs: [["kubectl"], ["exec"]], words: 1, dashes: true, valued: ["n", "namespace", "c", "container"] },
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
  salloc: { valued: [...sbatchValued, ...Object.keys(sbatchShort).map((each) => each.slice(1))] },
  shifter: { valued: valued("image V volume e env E entrypoint w workdir m module"), sets: ["-e", "--env"] },
  "ch-run": { words: 1, dashes: true, valued: valued("b bind c cd set_env j join_ct") },
  sarus: { verbs: [["run"]], words: 1, valued: valued("mount workdir w e env entrypoint"), sets: ["-e", "--env"] },
  screen: { valued: valued("S dmS h T c e s t p L Logfile") },
  unbuffer: {},
  catchsegv: {},
  "xvfb-run": { valued: valued("n server_num s server_args e error_file f auth_file p xauth_protocol w wait") },
  chrt: { words: 1, valued: valued("T P D") },
  prlimit: { valued: valued("p pid o output") },
  cgexec: { valued: ["g"] },
  "systemd-run": { valued: valued("p property u unit M slice description uid gid E setenv working_directory") },
  setpriv: { valued: valued("reuid regid groups inh_caps ambient_caps") },
  gosu: { words: 1 },
  "su-exec": { words: 1 },
  runuser: { dashes: true, valued: valued("u user g group G supp_group") },
  chroot: { words: 1, valued: valued("userspec groups") },
  unshare: { valued: valued("R root w wd S setuid G setgid") },
  nsenter: { valued: valued("t target S setuid G setgid") },
  "dumb-init": { dashes: true, valued: valued("r rewrite") },
  tini: { dashes: true, valued: valued("p e") },
  direnv: { verbs: [["exec"]], words: 1 },
  dotenv: { verbs: [["run"]], dashes: true, valued: valued("f file e") },
  doppler: { verbs: [["run"]], dashes: true, valued: valued("p project c config") },
  op: { verbs: [["run"]], dashes: true, valued: valued("env_file account") },
  hatch: { verbs: [["run"]], valued: valued("e env p project") },
  nix: { verbs: [["develop", "shell"]], behind: ["-c", "--command"] },
  lxc: { verbs: [["exec"]], words: 1, dashes: true, valued: valued("env cwd user group") },
  runai: { verbs: [["submit", "training"]], dashes: true },
  retry: { dashes: true, valued: valued("t times m min x max d delay") },
  ts: { valued: valued("G gpus g N L D W O") },
  qsub: { behind: ["--"] },
  gdb: { behind: ["--args"] },
  "cuda-gdb": { behind: ["--args"] },
  strace: { valued: valued("o e p s u E a O S") },
  ltrace: { valued: valued("o e p s u") },
  perf: { verbs: [["record", "stat"]], dashes: true, valued: valued("e o c F r D I output event freq call_graph") },
  "py-spy": { verbs: [["record", "top"]], dashes: true, valued: valued("o output r rate d duration f format") },
  ncu: {
    valued: valued("o export set section metrics k kernel_name c launch_count s launch_skip target_processes f"),
  },
  nvprof: { valued: valued("o output_profile export_profile metrics events log_file profile_child_processes") },
  dlprof: { valued: valued("mode reports output_path nsys_opts iter_start iter_stop key_node") },
  "compute-sanitizer": { valued: valued("tool log_file target_processes save print_limit") },
  rocprof: { valued: valued("i o d m") },
  rocprofv3: { dashes: true },
  hpcrun: { valued: valued("e o event output") },
  "likwid-pin": { valued: valued("c s") },
};
