/** `accelerate launch` that a step starts on several nodes: what it is told of them, and which of them it is. */
import { documentsOf, type Launch, type Run } from "../../launch.ts";
import { textIn, toldIn, type Settings, type Told } from "../../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const head = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus-per-node=8\n";
const file = (machines: number, more: string): string =>
  `compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_machines: ${machines}\nnum_processes: 16\nmain_process_ip: 10.0.0.1\nmain_process_port: 29500\n${more}`;
const step = (more: string): string => `${head}srun accelerate launch --config_file acc.yaml ${more}train.py\n`;

/** Nodes that a step of the job runs on, each of which starts the command once. */
function nodesOf({ step: around, script }: Run): number {
  const own = around?.settings.get("nodes") ?? script.directives.get("nodes");
  const count = Number(own?.value ?? 1);
  return around === null || !Number.isInteger(count) ? 1 : count;
}

function onNodes(launch: Launch, check: (run: Run, nodes: number) => readonly Found[]): readonly Found[] {
  const isRead = documentsOf(launch, "accelerate").length > 0;
  return launch.runs.flatMap((run) => {
    const { kind, settings } = run.launcher;
    // What a file says that is not here is unknown.
    if (kind !== "accelerate" || run.command.looped || (settings.has("config_file") && !isRead)) return [];
    const nodes = nodesOf(run);
    return nodes > 1 ? check(run, nodes) : [];
  });
}

/** A value of Slurm's variables stands at the directive that gives it: then the option is the place. */
const ownPlace = ({ span, nameSpan }: Told): Told["span"] =>
  /^[ \t]*#SBATCH\b/.test(span.source.text.slice(span.source.text.lastIndexOf("\n", span.start) + 1))
    ? nameSpan
    : span;

const machinesIn = (settings: Settings): number => Number(toldIn(settings, "num_machines")?.value ?? 1);

export const accelerateNodeRules: readonly ForeignRule[] = [
  rule({
    name: "accelerate-machine-rank",
    source:
      "accelerate/commands/launch.py: launch_command_parser (--machine_rank, default 0); utils/launch.py: prepare_multi_gpu_env; torch/distributed/run.py: node_rank",
    why: "With the static rendezvous, accelerate's default, each machine gives its own rank. A number in a file is the same on every node that srun starts: all believe they are the first, and wait for the others.",
    fix: "Give each node its own rank: srun bash -c 'accelerate launch --machine_rank $SLURM_NODEID …'; or set rdzv_backend to c10d, which assigns the ranks itself.",
    check: (launch) =>
      onNodes(launch, ({ launcher: { word } }, nodes): readonly Found[] => {
        const { accelerate } = launch;
        if (accelerate === null || machinesIn(accelerate) < 2 || textIn(accelerate, "rdzv_backend") === "c10d")
          return [];
        if (/rdzv_backend=(?!static)/.test(textIn(accelerate, "rdzv_conf") ?? "")) return [];
        const rank = toldIn(accelerate, "machine_rank");
        if (rank !== undefined && (!rank.known || rank.from.length > 0)) return [];
        if (["rdzv_backend", "rdzv_conf"].some((name) => accelerate.get(name)?.known === false)) return [];
        return [
          {
            span: rank === undefined ? word.span : ownPlace(rank),
            message: `srun starts this on ${nodes} nodes, but each is machine ${String(rank?.value ?? "0, the default")}`,
            valid: ["$SLURM_NODEID"],
            ...(rank === undefined ? {} : nearby("the launcher", word.span)),
          },
        ];
      }),
    fires: { "acc.yaml": file(2, "machine_rank: 0\n"), "job.sbatch": step("") },
    silent: {
      "acc.yaml": file(2, "machine_rank: 0\n"),
      "job.sbatch": `${head}srun bash -c 'accelerate launch --config_file acc.yaml --machine_rank $SLURM_NODEID train.py'\n`,
    },
  }),
  rule({
    name: "accelerate-alone",
    severity: "warning",
    source:
      "accelerate/commands/launch.py: _validate_launch_command (num_machines, default 1); utils/launch.py: prepare_multi_gpu_env (nnodes only where num_machines > 1)",
    why: "accelerate passes the address, the rank and the number of machines on only if there are several. Without --num_machines it assumes a single one: every node trains a model of its own.",
    fix: "Add --num_machines with the number of nodes, and --num_processes with the GPUs of all of them.",
    check: (launch) =>
      onNodes(launch, ({ launcher: { word } }, nodes): readonly Found[] => {
        const { accelerate } = launch;
        const told = accelerate === null ? undefined : toldIn(accelerate, "num_machines");
        if (told?.known === false || Number(told?.value ?? 1) !== 1) return [];
        // Other ways to say it are the launcher's that it hands over to.
        if (accelerate !== null && toldIn(accelerate, "deepspeed_hostfile", "mpirun_hostfile") !== undefined)
          return [];
        return [
          {
            span: told?.span ?? word.span,
            message: `srun starts this on ${nodes} nodes, but accelerate expects ${told === undefined ? "only its own" : "one"}`,
            valid: [String(nodes)],
          },
        ];
      }),
    fires: { "acc.yaml": file(1, ""), "job.sbatch": step("") },
    silent: { "acc.yaml": file(2, "rdzv_backend: c10d\n"), "job.sbatch": step("") },
  }),
];
