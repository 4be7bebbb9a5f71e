/** Ranks that a launcher counts and nothing starts, or that it has no room for. */
import type { Span } from "../../../dsl/source/source.ts";
import type { Launch, Run } from "../launch.ts";
import { linesOf } from "../documents/listing.ts";
import { numberIn, textIn, toldIn } from "../settings.ts";
import { nearby, rule, type ForeignRule, type Found } from "./rule.ts";

interface Slots {
  readonly count: number;
  readonly span: Span;
}

/** Options that Open MPI's mpirun has and MPICH's has not. */
const openMpi = /^(?:--?mca|-x|--allow-run-as-root|--map-by|--bind-to|-H|--?npernode|--hostfile|--prefix)$/;
/** What makes room. */
const roomy = /oversubscribe|nolocal|app\b/i;

/** Slots that a hostfile of Open MPI gives, where each of its lines says them. */
function ofFile({ listings }: Launch, path: string, span: Span): Slots | null {
  const base = (text: string): string => text.slice(text.lastIndexOf("/") + 1);
  const file = listings.find(({ kind, source }) => kind === "hostfile" && base(source.path) === base(path));
  if (file === undefined) return null;
  const lines = linesOf(file.source).map(({ text }) => /\bslots\s*=\s*(\d+)/.exec(text)?.[1]);
  if (lines.length === 0 || lines.includes(undefined)) return null;
  return { count: lines.reduce((sum, slots) => sum + Number(slots), 0), span };
}

/** `a:4,b`: a host is one slot each time that it is named without a number. */
function ofHosts(list: string, span: Span): Slots | null {
  const hosts = list.split(",").map((host) => /^[\w.-]+(?::(\d+))?$/.exec(host));
  if (hosts.includes(null)) return null;
  return { count: hosts.reduce((sum, host) => sum + Number(host?.[1] ?? 1), 0), span };
}

function crowded(run: Run, launch: Launch): readonly Found[] {
  const { kind, settings, word } = run.launcher;
  const told = toldIn(settings, "np");
  const count = numberIn(settings, "np");
  const words = run.command.words.map(({ text }) => text ?? "");
  // Within an allocation the scheduler's slots count.
  if (kind !== "mpirun" || !/(?:^|\/)(?:mpirun|mpiexec|orterun)$/.test(word.text ?? "")) return [];
  if (told === undefined || count === null || run.script.directives.size > 0 || run.script.pods !== null) return [];
  if (words.some((text) => roomy.test(text))) return [];
  const file = toldIn(settings, "hostfile", "machinefile");
  const hosts = toldIn(settings, "host");
  const slots =
    typeof file?.value === "string"
      ? ofFile(launch, file.value, file.span)
      : typeof hosts?.value === "string" && words.some((text) => openMpi.test(text))
        ? ofHosts(hosts.value, hosts.span)
        : null;
  if (slots === null || (file !== undefined && hosts !== undefined) || count <= slots.count) return [];
  return [
    {
      span: told.span,
      message: `${count} processes, but ${slots.count} slot${slots.count === 1 ? "" : "s"}`,
      valid: [String(slots.count)],
      ...nearby("the hosts", slots.span),
    },
  ];
}

/** A node that calls itself the fourth of two. */
function beyond({ launcher: { kind, settings } }: Run, { accelerate }: Launch): readonly Found[] {
  if (kind !== "torchrun" && kind !== "accelerate") return [];
  const own = kind === "torchrun" ? settings : (accelerate ?? settings);
  const rank = toldIn(own, kind === "torchrun" ? "node_rank" : "machine_rank");
  const nodes = toldIn(own, kind === "torchrun" ? "nnodes" : "num_machines");
  // PET_NNODES says the nodes of torchrun, too.
  if (rank === undefined || nodes === undefined || !rank.known || !nodes.known) return [];
  const most = Number(String(nodes.value).split(":").at(-1));
  const value = Number(rank.value);
  // Other rendezvous hand ranks out themselves, and accelerate says none of a single machine.
  if ((textIn(own, "rdzv_backend") ?? "static") !== "static" || (kind === "accelerate" && most < 2)) return [];
  if (!Number.isInteger(value) || !Number.isInteger(most) || value < most) return [];
  return [
    {
      span: rank.span,
      message: `node rank ${value} of ${most} node${most === 1 ? "" : "s"}: ranks count from 0`,
      valid: Array.from({ length: Math.min(most, 8) }, (_, at) => String(at)),
      ...nearby("the nodes", nodes.span),
    },
  ];
}

/** Ranks that a batch script tells its program of, and starts one of. */
function waited(run: Run): readonly Found[] {
  const { env, looped } = run.command;
  const size = env.get("WORLD_SIZE");
  const tasks = run.script.directives.get("ntasks_per_node");
  if (run.launcher.kind !== "python" || run.step !== null || looped || run.script.pods !== null) return [];
  if (size === undefined || tasks === undefined || !(Number(tasks.value) > 1) || !(Number(size.value) > 1)) return [];
  // A rank of its own is set where each of them is started.
  if (!env.has("MASTER_ADDR") || env.has("RANK") || run.command.outer !== null) return [];
  return [
    {
      span: run.launcher.word.span,
      message: `WORLD_SIZE is ${size.value ?? ""}, but one process is started: it waits for the others`,
      fixes: [
        {
          title: "start it with srun",
          edits: [{ span: { ...run.launcher.word.span, end: run.launcher.word.span.start }, newText: "srun " }],
        },
      ],
      ...nearby("the ranks", size.span),
    },
  ];
}

const batch = "#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --ntasks-per-node=4\nexport MASTER_ADDR=n1 WORLD_SIZE=4\n";

export const startedRankRules: readonly ForeignRule[] = [
  rule({
    name: "mpi-slots",
    source: "mpirun(1) of Open MPI: slots of --hostfile and of --host, which is 1 for a host without a number",
    why: "Open MPI starts no more processes than there are slots: `There are not enough slots available in the system`.",
    fix: "Give the hosts as many slots as processes (`slots=8`, `--host a:8,b:8`), or start fewer.",
    check: (launch) => launch.runs.flatMap((run) => crowded(run, launch)),
    fires: { hosts: "n1 slots=4\nn2 slots=4\n", "run.sh": "mpirun -np 16 --hostfile hosts python train.py\n" },
    silent: { hosts: "n1 slots=8\nn2 slots=8\n", "run.sh": "mpirun -np 16 --hostfile hosts python train.py\n" },
  }),
  rule({
    name: "launcher-node-rank",
    source:
      "torch/distributed/elastic/rendezvous/static_tcp_rendezvous.py: StaticTCPRendezvous.next_rendezvous (rank 0 serves the store)",
    why: "With the static rendezvous the node with rank 0 serves the others. Without a rank 0, or with a rank out of range, they wait for a server that never starts, until they time out.",
    fix: "Count nodes from 0: 0 for a single node, and $SLURM_NODEID under Slurm.",
    check: (launch) => launch.runs.flatMap((run) => beyond(run, launch)),
    fires: { "run.sh": "torchrun --nnodes=2 --node-rank=2 --master-addr=n1 --nproc-per-node=8 train.py\n" },
    silent: { "run.sh": "torchrun --nnodes=2 --node-rank=1 --master-addr=n1 --nproc-per-node=8 train.py\n" },
  }),
  rule({
    name: "slurm-ranks-unstarted",
    severity: "warning",
    source: "sbatch(1): the batch script runs once; torch/distributed/rendezvous.py: _env_rendezvous_handler",
    why: "--ntasks-per-node only reserves tasks; srun starts them. A program that a batch script calls directly is one process, and with WORLD_SIZE above 1 it waits for ranks that never start.",
    fix: "Start it with srun, and take each rank from SLURM_PROCID.",
    check: ({ runs }) => runs.flatMap(waited),
    fires: { "job.sbatch": `${batch}python train.py --output_dir out --per_device_train_batch_size 4\n` },
    silent: { "job.sbatch": `${batch}srun python train.py --output_dir out --per_device_train_batch_size 4\n` },
  }),
];
