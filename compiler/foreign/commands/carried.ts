/** What a word of a launcher's command line may say that nobody knows: `torchrun $(cat options) train.py`. */
import type { LauncherKind, Run } from "../launch.ts";
import type { Settings, Told } from "../settings.ts";
import type { ShellWord } from "../shell/state.ts";

/** Options that say how many ranks there are, and where they meet. */
const counting: Readonly<Record<LauncherKind | "srun", readonly string[]>> = {
  torchrun: [
    ...["nnodes", "nproc_per_node", "node_rank", "master_addr", "master_port"],
    ...["rdzv_backend", "rdzv_endpoint", "rdzv_id", "rdzv_conf"],
  ],
  // What counts its ranks is also what its filters may not stand beside: `worldOf` asks for the word itself.
  deepspeed: ["hostfile", "node_rank", "master_addr", "master_port", "ssh_port", "launcher", "launcher_args"],
  accelerate: [
    ...["num_processes", "num_machines", "machine_rank", "main_process_ip", "main_process_port"],
    ...["gpu_ids", "rdzv_backend", "rdzv_conf"],
  ],
  mpirun: ["np", "hostfile", "host"],
  srun: ["nodes", "ntasks", "ntasks_per_node"],
  python: [],
  other: [],
};

/** Each of them that is not said beside the word is unknown, not absent. */
export function withCarried(settings: Settings, word: ShellWord | null, kind: keyof typeof counting): Settings {
  if (word === null) return settings;
  const { span, from } = word;
  const carried = counting[kind]
    .filter((name) => !settings.has(name))
    .map((name): readonly [string, Told] => [
      name,
      { value: null, known: false, span, name: `--${name}`, nameSpan: span, from },
    ]);
  return new Map([...settings, ...carried]);
}

export function carrying(launcher: Run["launcher"]): Run["launcher"] {
  return { ...launcher, settings: withCarried(launcher.settings, launcher.open, launcher.kind) };
}
