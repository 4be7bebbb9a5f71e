/** What the batch script does on its first node alone: launchers without `srun`, variables that its shell replaces. */
import type { Run } from "../../launch.ts";
import { toldIn } from "../../settings.ts";
import type { ShellCommand } from "../../shell/state.ts";
import { rule, type ForeignRule } from "../rule.ts";

const head = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gpus-per-node=8\n";

const endpoint = "--rdzv-backend=c10d --rdzv-endpoint=$HEAD:29500";

/** Launchers that start the processes of one node. */
const perNodeLaunchers = new Set(["torchrun", "accelerate"]);

export const slurmFirstNodeRules: readonly ForeignRule[] = [
  rule({
    name: "slurm-one-node",
    source: "sbatch(1): the batch script runs once, on the first node of the allocation",
    why:
      "Only `srun` starts something on every node of an allocation. Called directly from the batch script, a launcher runs on the first " +
      "node alone and waits there for the others until its rendezvous times out.",
    fix: "Start it with srun, one task per node: srun --ntasks-per-node=1 torchrun ….",
    check: ({ runs }) =>
      runs.flatMap((run) => {
        const nodes = run.script.directives.get("nodes");
        const said = toldIn(run.launcher.settings, "nnodes", "num_machines");
        if (nodes === undefined || !(Number(nodes.value) > 1) || run.step !== null || run.command.looped) return [];
        if (!perNodeLaunchers.has(run.launcher.kind) || isRemote(run)) return [];
        const span = run.launcher.word.span;
        return [
          {
            span,
            message: `${run.launcher.word.text} runs only on the first of ${String(nodes.value)} nodes: nothing starts it on the others`,
            related: [
              { message: "the allocation", span: nodes.span },
              ...(said === undefined ? [] : [{ message: "the number of nodes it waits for", span: said.span }]),
            ],
            fixes: [
              { title: "start it with srun", edits: [{ span: { ...span, end: span.start }, newText: "srun " }] },
            ],
          },
        ];
      }),
    fires: { "job.sbatch": `${head}torchrun --nnodes=2 --nproc-per-node=8 ${endpoint} train.py\n` },
    silent: { "job.sbatch": `${head}srun torchrun --nnodes=2 --nproc-per-node=8 ${endpoint} train.py\n` },
  }),
  rule({
    name: "slurm-expanded-early",
    source:
      "sbatch(1): SLURM_PROCID and SLURM_NODEID of the batch script are those of its first node; torch/distributed/run.py: config_from_args (node_rank with rdzv_backend)",
    why:
      "The batch script is one process on the first node, and its shell replaces `$SLURM_NODEID` before `srun` starts anything: every node " +
      "gets 0. With --rdzv-backend=c10d nothing comes of it: torchrun ignores the rank there.",
    fix: "With c10d leave the rank out. Otherwise write srun bash -c '… $SLURM_NODEID …' in single quotes, or \\$SLURM_NODEID in double ones.",
    check: ({ runs }) =>
      runs.flatMap((run) => {
        const rank =
          toldIn(run.launcher.settings, "node_rank", "machine_rank") ??
          toldIn(run.options, "node_rank", "machine_rank");
        const variable = rank?.from.find((name) => ["SLURM_NODEID", "SLURM_PROCID", "SLURM_LOCALID"].includes(name));
        if (rank === undefined || variable === undefined || rank.value !== "0") return [];
        const { directives } = run.script;
        // A script that no directive makes a batch script may be what srun starts on each node.
        if (directives.size === 0 || isOfStep(run, variable)) return [];
        if (String(directives.get("nodes")?.value) === "1") return [];
        const elastic = toldIn(run.launcher.settings, "rdzv_backend")?.value === "c10d";
        return [
          {
            span: rank.nameSpan,
            message: `$${variable} is 0 on every node: the batch script replaces it before the nodes see it${elastic ? `, but c10d ignores ${rank.name}` : ""}`,
            ...(elastic ? { severity: "info" as const } : {}),
          },
        ];
      }),
    fires: {
      "job.sbatch": `${head}srun torchrun --nnodes=2 --nproc-per-node=8 --node-rank=$SLURM_NODEID --master-addr=$HEAD train.py\n`,
    },
    silent: {
      "job.sbatch": `${head}srun bash -c 'torchrun --nnodes=2 --nproc-per-node=8 --node-rank=$SLURM_NODEID --master-addr=$HEAD train.py'\n`,
    },
  }),
];

/** The shell that puts the variable in is the step's own: a default there is for another place. */
function isOfStep({ command: { outer, span } }: Run, variable: string): boolean {
  if (outer === null) return false;
  const { source, start, end } = outer.span;
  const isStep = outer.words.some(({ text }) => text?.split("/").at(-1) === "srun");
  if (source !== span.source) return isStep;
  return new RegExp(`\\$\\{${variable}:?-`).test(source.text.slice(start, end));
}

/** Another program takes the command to the other nodes. */
function isRemote({ command }: Run): boolean {
  for (let each: ShellCommand | null = command; each !== null; each = each.outer)
    if (each.words.some(({ text }) => carriers.test(text ?? ""))) return true;
  return false;
}

const carriers =
  /(?:^|\/)(?:ssh|pdsh|clush|pssh|parallel|mpirun|mpiexec(?:\.hydra)?|orterun|prterun|prun|aprun|jsrun|pbsdsh|kubectl)$/;
