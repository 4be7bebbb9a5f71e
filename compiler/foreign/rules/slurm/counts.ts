/** Nodes and processes that a launcher in a job is told, against those that the job has. */
import { gpusPerNode } from "../../slurm/directives.ts";
import { documentsOf, type Launch, type Run } from "../../launch.ts";
import { numberIn, textIn, toldIn, type Settings } from "../../settings.ts";
import { nearby, rule, type Files, type ForeignRule } from "../rule.ts";

const endpoint = "--rdzv-backend=c10d --rdzv-endpoint=$HEAD:29500";

/** A file of accelerate for 16 processes on two machines, in a job of another size. */
export const accelerateJob = (nodes: number, gpus: number, tasks: number): Files => ({
  "acc.yaml":
    "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_machines: 2\nnum_processes: 16\nmachine_rank: 0\nmain_process_port: 0\n",
  "two.sbatch":
    `#!/bin/bash\n#SBATCH --nodes=${nodes}\n#SBATCH --gpus-per-node=${gpus}\n#SBATCH --ntasks-per-node=${tasks}\n` +
    "srun bash -c 'accelerate launch --config_file acc.yaml --machine_rank $SLURM_NODEID --main_process_ip $HEAD --main_process_port 29500 train.py'\n",
});

export const slurmCountRules: readonly ForeignRule[] = [
  rule({
    name: "slurm-nodes",
    source: "torch/distributed/run.py: nnodes; accelerate/commands/launch.py: num_machines",
    why: "A launch that waits for more nodes than the job has never starts; one that takes fewer leaves them idle.",
    fix: "Write $SLURM_NNODES for the number of nodes, or request the same number with #SBATCH --nodes.",
    check: (launch) =>
      launch.runs.flatMap((run) => {
        const step = run.step?.settings.get("nodes");
        // Where each node has a step of its own, they make the launch together, and others may have the rest of the job.
        const isOneOfMany =
          step?.value === "1" &&
          (run.command.looped || toldIn(run.launcher.settings, "node_rank", "machine_rank") !== undefined);
        const own = isOneOfMany ? undefined : step;
        const nodes = own ?? run.script.directives.get("nodes");
        const said = toldIn(launcherSettings(run, launch), "nnodes", "num_machines", "num_nodes");
        const [has, wants] = [Number(nodes?.value), Number(said?.value)];
        if (nodes === undefined || said === undefined || !said.known || !(has >= 1) || !(wants >= 1) || has === wants)
          return [];
        if (isOneOfMany && wants < has) return [];
        return [
          {
            span: said.span,
            message: `the launch is for ${wants} node${wants === 1 ? "" : "s"}, but the job has ${has}`,
            valid: [String(has)],
            ...nearby("the job's nodes", nodes.span),
          },
        ];
      }),
    fires: {
      "job.sbatch": `#!/bin/bash\n#SBATCH --nodes=40\nNNODES=64\nsrun torchrun --nnodes=$NNODES --nproc-per-node=8 ${endpoint} train.py\n`,
    },
    silent: {
      "job.sbatch": `#!/bin/bash\n#SBATCH --nodes=40\nsrun torchrun --nnodes=$SLURM_NNODES --nproc-per-node=8 ${endpoint} train.py\n`,
    },
  }),
  rule({
    name: "slurm-processes",
    source: "torch/distributed/run.py: nproc_per_node processes, one device each",
    why:
      "`torchrun` starts one process per GPU of a node, so Slurm must start only one task per node: with a task per GPU, eight GPUs get eight times eight " +
      "processes. A process without a GPU of its own fails on `invalid device ordinal`.",
    fix: "Start one task per node with as many processes as it has GPUs: --ntasks-per-node=1 and --nproc-per-node=$SLURM_GPUS_ON_NODE.",
    check: (launch) =>
      launch.runs.flatMap((run) => {
        const { kind } = run.launcher;
        const settings = launcherSettings(run, launch);
        const each =
          settings.get("nproc_per_node") ?? (kind === "accelerate" ? settings.get("num_processes") : undefined);
        const gpus = gpusPerNode(run.script.directives);
        const found = [];
        const machines =
          kind === "accelerate"
            ? (numberIn(settings, "num_machines") ?? (settings.has("num_machines") ? null : 1))
            : 1;
        const all = numberIn(settings, "nproc_per_node", "num_processes");
        const count = all === null || machines === null ? null : all / machines;
        if (each !== undefined && count !== null && gpus !== null && count > gpus.count)
          found.push({
            span: each.span,
            message: `${count} processes on a node where the job gets ${gpus.count} GPU${gpus.count === 1 ? "" : "s"}`,
            valid: [String(gpus.count)],
            ...nearby("the job's GPUs", gpus.told.span),
          });
        const tasks = run.step?.settings.get("ntasks_per_node") ?? run.script.directives.get("ntasks_per_node");
        if (
          each !== undefined &&
          run.step !== null &&
          tasks !== undefined &&
          Number(tasks.value) > 1 &&
          (count ?? 2) > 1
        )
          found.push({
            span: tasks.span,
            message: `${String(tasks.value)} tasks on every node each start ${run.launcher.word.text} with ${count ?? "several"} processes`,
            valid: ["1"],
            ...nearby("processes of one task", each.span),
          });
        return found;
      }),
    fires: { "job.sbatch": "#!/bin/bash\n#SBATCH --gres=gpu:4\nsrun torchrun --nproc-per-node=8 train.py\n" },
    silent: {
      "job.sbatch": "#!/bin/bash\n#SBATCH --gres=gpu:8\nsrun torchrun --nproc-per-node=8 train.py\n",
      ...accelerateJob(2, 8, 1),
    },
  }),
  rule({
    name: "slurm-trainer-processes",
    source: "lightning/fabric/plugins/environments/slurm.py: SLURMEnvironment.validate_settings",
    why:
      "Under Slurm, Lightning starts no processes itself: `srun` starts as many tasks per node as the Trainer has devices, and as many nodes. " +
      "Otherwise the run hangs at its first collective, or silently trains on one device.",
    fix: "Make the Trainer's nodes and devices and the job's --nodes and --ntasks-per-node the same numbers.",
    check: ({ runs }) =>
      runs.flatMap((run) => {
        const { directives } = run.script;
        if (directives.size === 0 || run.launcher.kind !== "python") return [];
        const [nodes, devices] = [toldIn(run.options, "num_nodes"), toldIn(run.options, "devices")];
        // One of them alone is anybody's.
        const isTrainer = nodes !== undefined && devices !== undefined;
        const pairs = [
          ["nodes", toldIn(run.options, "trainer.num_nodes") ?? (isTrainer ? nodes : undefined), 1],
          ["ntasks_per_node", toldIn(run.options, "trainer.devices") ?? (isTrainer ? devices : undefined), null],
        ] as const;
        return pairs.flatMap(([name, wanted, otherwise]) => {
          const given = run.step?.settings.get(name) ?? directives.get(name);
          const has = given === undefined ? otherwise : Number(given.value);
          const wants = Number(wanted?.value);
          if (wanted?.known !== true || given?.known === false) return [];
          if (!Number.isInteger(wants) || has === null || has === wants) return [];
          const option = `--${name.replaceAll("_", "-")}`;
          return [
            {
              span: wanted.span,
              message: `the Trainer expects ${wants} and Slurm gives ${has}: write \`#SBATCH ${option}=${wants}\``,
              valid: [String(has)],
              ...nearby("what Slurm gives", given?.span ?? directives.values().next().value?.span),
            },
          ];
        });
      }),
    fires: {
      "job.sbatch":
        "#!/bin/bash\n#SBATCH --ntasks-per-node=1\nsrun python train.py --trainer.num_nodes=2 --trainer.devices=4\n",
    },
    silent: {
      "job.sbatch":
        "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=4\nsrun python train.py --trainer.num_nodes=2 --trainer.devices=4\n",
    },
  }),
];

/** What a launcher is told by its options and, of accelerate, by the one file that they name. */
function launcherSettings({ launcher: { kind, settings } }: Run, launch: Launch): Settings {
  const files = documentsOf(launch, "accelerate");
  const name = textIn(settings, "config_file")?.split("/").at(-1);
  const isAlone = launch.runs.filter((run) => run.launcher.kind === "accelerate").length === 1;
  return kind === "accelerate" && isAlone && files.length === 1 && files[0]?.path.split("/").at(-1) === name
    ? new Map([...(launch.accelerate ?? []), ...settings])
    : settings;
}
