/** Ranks that a batch script exports once, and that each task of a step then has. */
import type { Run } from "../../launch.ts";
import { numberIn, type Settings } from "../../settings.ts";
import { tasksOf } from "../../world.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const head = "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=8\n#SBATCH --gpus-per-node=8\n";
const exported = "export RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS\n";

export const slurmSameRankRules: readonly ForeignRule[] = [
  rule({
    name: "slurm-same-rank",
    source:
      "sbatch(1): the batch script runs once, and srun(1) hands its environment to every task; torch/distributed/rendezvous.py: _env_rendezvous_handler",
    why:
      "The batch script is one process, in which SLURM_PROCID and SLURM_LOCALID are 0. A variable that it exports has the same value in all tasks: every process takes itself for that rank, " +
      "and the first collective waits for the others until it times out.",
    fix: "Set the variables inside of the step: srun bash -c 'export RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID; python train.py'.",
    check: ({ runs }) => runs.flatMap(sameRanks),
    fires: { "job.sbatch": `${head}${exported}srun python train.py\n` },
    silent: {
      "job.sbatch": `${head}srun bash -c 'export RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS; python train.py'\n`,
    },
  }),
  rule({
    name: "slurm-other-world",
    severity: "warning",
    source: "torch/distributed/rendezvous.py: _env_rendezvous_handler",
    why: "A program that takes its ranks from the environment waits for WORLD_SIZE processes. With more tasks some ranks are refused, with fewer the start never ends.",
    fix: "Export WORLD_SIZE=$SLURM_NTASKS, or start as many tasks as WORLD_SIZE says.",
    check: ({ runs }) =>
      runs.flatMap((run): readonly Found[] => {
        const told = run.command.env.get("WORLD_SIZE");
        const tasks = startsRanks(run) ? tasksOf(run) : null;
        if (told === undefined || tasks === null || !/^\d+$/.test(told.value ?? "") || Number(told.value) === tasks)
          return [];
        const message = `WORLD_SIZE is ${told.value}, but srun starts ${tasks} tasks`;
        return [{ span: told.span, message, valid: [String(tasks)], ...nearby("the step", run.step?.span) }];
      }),
    fires: { "job.sbatch": `${head}export WORLD_SIZE=16\nsrun python train.py\n` },
    silent: { "job.sbatch": `${head}export WORLD_SIZE=32\nsrun python train.py\n` },
  }),
];

/** Each task of a step is a rank where no launcher stands between. */
const startsRanks = ({ step, launcher }: Run): boolean => step !== null && launcher.kind === "python";

function sameRanks(run: Run): readonly Found[] {
  const { step, command, script } = run;
  if (!startsRanks(run)) return [];
  const tasks = tasksOf(run);
  const perNode = perNodeOf(step?.settings, script.directives);
  const same = (["RANK", "LOCAL_RANK"] as const).flatMap((name) => {
    const told = command.env.get(name);
    const count = name === "RANK" ? tasks : perNode;
    return told?.value != null && told.value !== "" && count !== null && count > 1 ? [{ name, told, count }] : [];
  });
  const [first, second] = same;
  if (first === undefined) return [];
  const { source, start, end } = first.told.span;
  // Who writes a number means it for a program that may not read it.
  const isSlurms = /SLURM_(?:PROCID|LOCALID)/.test(source.text.slice(start, end));
  return [
    {
      span: first.told.span,
      message: `${first.name} is ${first.told.value} in all ${first.count} tasks${first.name === "RANK" ? "" : " of a node"}: the batch script sets it once, before srun starts them`,
      ...(isSlurms ? {} : { severity: "warning" as const }),
      ...nearby(second === undefined ? "the step" : `${second.name} too`, second?.told.span ?? step?.span),
    },
  ];
}

const perNodeOf = (step: Settings | undefined, directives: Settings): number | null =>
  numberIn(step ?? new Map(), "ntasks_per_node") ?? numberIn(directives, "ntasks_per_node");
