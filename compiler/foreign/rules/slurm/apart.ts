/** Steps on several nodes whose processes never learn of each other. */
import type { Run } from "../../launch.ts";
import { toldIn } from "../../settings.ts";
import { isTrainer } from "../../trainer/settings.ts";
import { tasksOf } from "../../world.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const head = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=1\n";
const tasks = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=4\n";
const train = "train.py --output_dir out --per_device_train_batch_size 1";

/** Nodes on which `srun` starts the command, with more tasks than one. */
function nodesOf(run: Run): { readonly count: number; readonly near: ReturnType<typeof nearby> } | null {
  if (run.step === null || run.command.looped) return null;
  const told = run.step.settings.get("nodes") ?? run.script.directives.get("nodes");
  const count = Number(told?.value);
  const started = tasksOf(run);
  return told?.known === true && count > 1 && started !== null && started >= count
    ? { count, near: nearby("the nodes", told.span) }
    : null;
}

/** A program that is told its task is meant to work alone. */
const isToldApart = ({ args, command }: Run): boolean =>
  [...args, ...command.words].some(({ from }) => from.some((name) => /^SLURM_(?:PROCID|NODEID|LOCALID)$/.test(name)));

const isHome = (text: string): boolean => /^(?:tcp:\/\/)?(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/.test(text);

export const slurmApartRules: readonly ForeignRule[] = [
  rule({
    name: "slurm-torchrun-alone",
    severity: "warning",
    source: "torch/distributed/run.py: get_args_parser (--nnodes is 1:1), config_from_args (--standalone)",
    why: "srun starts torchrun on each node, and without --nnodes (or with --standalone) each of them is a separate launch: every node runs its own training, on the same data and into the same folder.",
    fix: "Write --nnodes=$SLURM_NNODES with --rdzv-backend=c10d and the first node in --rdzv-endpoint, instead of --standalone.",
    check: ({ runs }) =>
      runs.flatMap((run): readonly Found[] => {
        const { kind, settings, word } = run.launcher;
        const nodes = kind === "torchrun" ? nodesOf(run) : null;
        const alone = settings.get("standalone");
        if (nodes === null || isToldApart(run) || run.command.env.has("PET_NNODES")) return [];
        if (alone === undefined && settings.has("nnodes")) return [];
        return [
          {
            span: alone?.nameSpan ?? word.span,
            message: `${nodes.count} nodes each train alone: ${alone === undefined ? "torchrun without --nnodes" : "--standalone"} launches a single node`,
            ...nodes.near,
          },
        ];
      }),
    fires: { "job.sbatch": `${head}srun torchrun --standalone --nproc-per-node=8 ${train}\n` },
    silent: {
      "job.sbatch": `${head}srun torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=$HEAD:29500 ${train}\n`,
      "one.sbatch": `#!/bin/bash\n#SBATCH --nodes=1\nsrun torchrun --standalone --nproc-per-node=8 ${train}\n`,
      "first.sbatch": `${head}srun --nodes=1 --ntasks=1 torchrun --standalone --nproc-per-node=8 ${train}\n`,
      "each.sbatch": `${head}srun bash -c 'torchrun --standalone --nproc-per-node=8 ${train} --seed $SLURM_PROCID'\n`,
    },
  }),
  rule({
    name: "slurm-ranks-unsaid",
    severity: "warning",
    source: "accelerate/state.py: PartialState.__init__ (LOCAL_RANK, RANK, WORLD_SIZE); Slurm sets SLURM_PROCID",
    why: "transformers' Trainer reads its rank from RANK, LOCAL_RANK and WORLD_SIZE, which torchrun sets and srun does not. Without them each task is a separate training on the first GPU that it sees.",
    fix: "Start one torchrun per node, or set RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS inside the task: srun bash -c '…'.",
    check: ({ runs }) =>
      runs.flatMap((run): readonly Found[] => {
        const count = run.step === null ? null : tasksOf(run);
        const { env } = run.command;
        if (run.launcher.kind !== "python" || count === null || count < 2) return [];
        if (!isTrainer(run) || !run.options.has("per_device_train_batch_size")) return [];
        // DeepSpeed asks MPI for what is not said, and who sets the number of ranks has a program that knows its own.
        if (
          ["RANK", "LOCAL_RANK", "WORLD_SIZE"].some((name) => env.has(name)) ||
          toldIn(run.options, "deepspeed") !== undefined
        )
          return [];
        if (isToldApart(run) || run.command.looped) return [];
        return [
          {
            span: run.launcher.word.span,
            message: `${count} tasks and no RANK or LOCAL_RANK: each trains alone, unless the program takes its rank from Slurm`,
          },
        ];
      }),
    fires: { "job.sbatch": `${tasks}srun python ${train}\n` },
    silent: {
      "job.sbatch": `${tasks}srun bash -c 'RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS python ${train}'\n`,
      "one.sbatch": `#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --ntasks-per-node=1\nsrun python ${train}\n`,
    },
  }),
  rule({
    name: "slurm-own-endpoint",
    source:
      "torch/distributed/elastic/rendezvous/c10d_rendezvous_backend.py: create_backend (_matches_machine_hostname)",
    why: "On each node `localhost` is that node. torchrun on every node then opens its own rendezvous and waits there for the others, until it times out.",
    fix: 'Name the first node of the allocation: --rdzv-endpoint="$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1):29500".',
    check: ({ runs }) =>
      runs.flatMap((run): readonly Found[] => {
        const { kind, settings } = run.launcher;
        const place = toldIn(settings, "rdzv_endpoint", "master_addr");
        // Of an elastic launch the least is what each waits for.
        const least = Number(String(settings.get("nnodes")?.value ?? "1").split(":")[0]);
        const nodes = kind === "torchrun" ? nodesOf(run) : null;
        if (nodes === null || place === undefined || !(least > 1) || settings.has("standalone")) return [];
        if (!place.known || !isHome(String(place.value))) return [];
        return [
          {
            span: place.span,
            message: `${nodes.count} nodes meet at ${String(place.value)}, which on each node is the node itself`,
            ...nodes.near,
          },
        ];
      }),
    fires: {
      "job.sbatch": `${head}srun torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=localhost:29500 ${train}\n`,
    },
    silent: {
      "job.sbatch": `${head}srun torchrun --nnodes=2 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=n1:29500 ${train}\n`,
      "one.sbatch": `#!/bin/bash\n#SBATCH --nodes=1\nsrun torchrun --nnodes=1 --nproc-per-node=8 --rdzv-backend=c10d --rdzv-endpoint=localhost:29500 ${train}\n`,
    },
  }),
];
