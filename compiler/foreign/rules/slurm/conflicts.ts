/** Options of a job that Slurm, or what it starts, does not take together. */
import { numberIn, toldIn, type Settings } from "../../settings.ts";
import { gpusPerNode } from "../../slurm/directives.ts";
import { hostsIn } from "../../slurm/hostlist.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const memories = ["mem", "mem_per_cpu", "mem_per_gpu"];

/** GPUs of the whole job, which its nodes share. */
function shared(directives: Settings): ReturnType<typeof gpusPerNode> {
  const told = directives.get("gpus");
  const [all, nodes] = [Number(/(\d+)$/.exec(String(told?.value ?? ""))?.[1]), numberIn(directives, "nodes")];
  return told === undefined || nodes === null || !Number.isInteger(all / nodes) ? null : { count: all / nodes, told };
}

export const slurmConflictRules: readonly ForeignRule[] = [
  rule({
    name: "slurm-memory",
    source:
      "sbatch(1): --mem, --mem-per-cpu and --mem-per-gpu are mutually exclusive; slurm/src/common/slurm_opt.c: slurm_option_validate",
    why: "Memory is requested per node, per CPU or per GPU. sbatch refuses a job that requests it in two ways.",
    fix: "Keep one of --mem, --mem-per-cpu and --mem-per-gpu.",
    check: ({ scripts }) =>
      scripts.flatMap(({ directives }): readonly Found[] => {
        const [first, second] = memories.flatMap((name) => toldIn(directives, name) ?? []);
        if (first === undefined || second === undefined) return [];
        return [
          {
            span: second.nameSpan,
            message: `${second.name} cannot be combined with ${first.name}`,
            ...nearby("the other", first.nameSpan),
          },
        ];
      }),
    fires: { "job.sbatch": "#!/bin/bash\n#SBATCH --mem=30G\n#SBATCH --mem-per-gpu=40G\nsrun python train.py\n" },
    silent: { "job.sbatch": "#!/bin/bash\n#SBATCH --mem=0\nsrun python train.py\n" },
  }),
  rule({
    name: "slurm-fewer-tasks",
    source: "sbatch(1): --nodes, --ntasks; `can't run 1 processes on 2 nodes, setting nnodes to 1`",
    why: "Every node of a job runs at least one task: with fewer tasks than nodes Slurm lowers the number of nodes, and a launch that counts on all of them waits for nodes that never come.",
    fix: "Raise --ntasks to the number of nodes, or write --ntasks-per-node=1 instead.",
    check: ({ scripts }) =>
      scripts.flatMap(({ directives }): readonly Found[] => {
        const [tasks, nodes] = [toldIn(directives, "ntasks"), toldIn(directives, "nodes")];
        const [has, wants] = [numberIn(directives, "ntasks"), numberIn(directives, "nodes")];
        if (tasks === undefined || has === null || wants === null || has >= wants) return [];
        return [
          {
            span: tasks.span,
            message: `${has} task${has === 1 ? "" : "s"} cannot run on ${wants} nodes: Slurm allocates ${has}`,
            valid: [String(wants)],
            ...nearby("the nodes", nodes?.span),
          },
        ];
      }),
    fires: { "job.sbatch": "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks=1\nsrun python train.py\n" },
    silent: { "job.sbatch": "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks=2\nsrun python train.py\n" },
  }),
  rule({
    name: "slurm-nodelist",
    source: "sbatch(1): --nodelist (the job will contain all of these hosts), --nodes",
    why: "A job gets all hosts in its list, and more if it requests more nodes. It cannot have more hosts than nodes: `Requested node configuration is not available`.",
    fix: "Raise --nodes to the number of hosts, or remove hosts from --nodelist.",
    check: ({ scripts }) =>
      scripts.flatMap(({ directives }): readonly Found[] => {
        const [list, nodes] = [toldIn(directives, "nodelist"), toldIn(directives, "nodes")];
        const hosts = list?.known === true ? hostsIn(String(list.value)) : null;
        const most = Number(
          String(nodes?.value ?? "")
            .split("-")
            .at(-1),
        );
        if (list === undefined || nodes === undefined || hosts === null || !(most >= 1) || hosts <= most) return [];
        return [
          {
            span: list.span,
            message: `--nodelist names ${hosts} hosts, but the job has ${most} node${most === 1 ? "" : "s"}`,
            ...nearby("the nodes", nodes.span),
          },
        ];
      }),
    fires: { "job.sbatch": "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --nodelist=n[1-4]\nsrun python train.py\n" },
    silent: { "job.sbatch": "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --nodelist=n[1-2]\nsrun python train.py\n" },
  }),
  rule({
    name: "slurm-tasks-twice",
    severity: "warning",
    source:
      "sbatch(1): --ntasks-per-node is at most, where --ntasks is given too; lightning/fabric/plugins/environments/slurm.py: validate_settings",
    why: "If both are given, --ntasks counts and --ntasks-per-node is only an upper limit. A program that reads SLURM_NTASKS_PER_NODE waits for tasks that Slurm never starts.",
    fix: "Leave --ntasks out, or set it to --nodes x --ntasks-per-node.",
    check: ({ scripts }) =>
      scripts.flatMap(({ directives }): readonly Found[] => {
        const tasks = toldIn(directives, "ntasks");
        const [has, nodes, each] = ["ntasks", "nodes", "ntasks_per_node"].map((name) => numberIn(directives, name));
        if (tasks === undefined || has === null || nodes === null || each === null) return [];
        if (has === undefined || nodes === undefined || each === undefined || has === nodes * each || has < nodes)
          return [];
        return [
          {
            span: tasks.span,
            message: `${nodes} nodes x ${each} tasks is ${nodes * each}, but --ntasks is ${has}`,
            valid: [String(nodes * each)],
            ...nearby("tasks of a node", toldIn(directives, "ntasks_per_node")?.span),
          },
        ];
      }),
    fires: {
      "job.sbatch":
        "#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --ntasks=1\n#SBATCH --ntasks-per-node=2\nsrun python train.py\n",
    },
    silent: {
      "job.sbatch":
        "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks=4\n#SBATCH --ntasks-per-node=2\nsrun python train.py\n",
    },
  }),
  rule({
    name: "slurm-tasks-gpus",
    severity: "warning",
    source: "sbatch(1): --gpus is of the whole job; NCCL: `Duplicate GPU detected`",
    why: "Each task that srun starts is a rank, and takes a GPU of its node. With more tasks than GPUs, tasks share a GPU, which NCCL refuses (`Duplicate GPU detected`), or find none (`invalid device ordinal`).",
    fix: "Request as many tasks per node as it has GPUs: --ntasks-per-node with --gpus-per-node.",
    check: ({ runs }) =>
      runs.flatMap((run): readonly Found[] => {
        const { directives } = run.script;
        const told = toldIn(directives, "ntasks_per_node");
        const [tasks, gpus] = [
          numberIn(directives, "ntasks_per_node"),
          gpusPerNode(directives) ?? shared(directives),
        ];
        if (run.launcher.kind !== "python" || run.step === null || told === undefined) return [];
        if (
          ["ntasks", "ntasks_per_node", "nodes", "gpus", "gpus_per_node", "gres"].some((name) =>
            run.step?.settings.has(name),
          )
        )
          return [];
        if (
          tasks === null ||
          gpus === null ||
          gpus.count < 1 ||
          tasks <= gpus.count ||
          gpus.told.name === "--gpus-per-task"
        )
          return [];
        // Workers that prepare data, and programs on the CPU, are no ranks.
        if (
          !Number.isInteger(gpus.count) ||
          run.options.has("cpu") ||
          !/train|pretrain|finetune|sft|run_/i.test(run.program?.text ?? "")
        )
          return [];
        return [
          {
            span: told.span,
            message: `${tasks} tasks on a node with ${gpus.count} GPU${gpus.count === 1 ? "" : "s"}`,
            valid: [String(gpus.count)],
            ...nearby("its GPUs", gpus.told.span),
          },
        ];
      }),
    fires: {
      "job.sbatch":
        "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=8\n#SBATCH --gpus=8\nsrun python train.py\n",
    },
    silent: {
      "job.sbatch":
        "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=2\n#SBATCH --gpus=8\nsrun python train.py\n",
    },
  }),
  rule({
    name: "slurm-trainer-devices",
    source:
      "lightning/fabric/plugins/environments/slurm.py: validate_settings; lightning/pytorch/trainer/connectors/accelerator_connector.py",
    why: "Under Slurm, Lightning trains with the tasks that `srun` starts, one GPU for each: fewer tasks leave GPUs idle and ranks missing, and with fewer GPUs it stops with `You requested gpu`.",
    fix: "Make --ntasks-per-node, the GPUs of a node and the Trainer's devices the same number.",
    check: ({ runs }) =>
      runs.flatMap((run): readonly Found[] => {
        const { directives } = run.script;
        const told = toldIn(run.options, "trainer.devices");
        const wants = Number(told?.value);
        if (told === undefined || directives.size === 0 || run.launcher.kind !== "python" || !Number.isInteger(wants))
          return [];
        const nodes = numberIn(directives, "nodes");
        const tasks = toldIn(directives, "ntasks");
        const has = numberIn(directives, "ntasks");
        const gpus = gpusPerNode(directives);
        const found: Found[] = [];
        if (
          tasks !== undefined &&
          has !== null &&
          nodes !== null &&
          !directives.has("ntasks_per_node") &&
          has !== nodes * wants
        )
          found.push({
            span: tasks.span,
            message: `the Trainer expects ${wants} tasks on each of ${nodes} node${nodes === 1 ? "" : "s"}, but Slurm starts ${has} in total`,
            valid: [String(nodes * wants)],
            ...nearby("its devices", told.span),
          });
        if (gpus !== null && gpus.count < wants && gpus.told.name !== "--gpus-per-task")
          found.push({
            span: gpus.told.span,
            message: `the Trainer expects ${wants} devices on a node that has ${gpus.count} GPU${gpus.count === 1 ? "" : "s"}`,
            valid: [String(wants)],
            ...nearby("its devices", told.span),
          });
        return found;
      }),
    fires: {
      "job.sbatch":
        "#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --ntasks=1\n#SBATCH --gres=gpu:3\nsrun python train.py fit --trainer.devices 3\n",
    },
    silent: {
      "job.sbatch":
        "#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --ntasks=3\n#SBATCH --gres=gpu:3\nsrun python train.py fit --trainer.devices 3\n",
    },
  }),
];
