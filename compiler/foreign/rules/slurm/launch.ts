/** What a batch script and the launchers in it say against each other. */
import { gpusPerNode } from "../../slurm/directives.ts";
import { documentsOf, type Launch, type Run } from "../../launch.ts";
import type { ShellCommand } from "../../shell/state.ts";
import { numberIn, textIn, toldIn, type Settings, type Told } from "../../settings.ts";
import { nearby, rule, type Files, type ForeignRule, type Found } from "../rule.ts";

const head = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gpus-per-node=8\n";

const endpoint = "--rdzv-backend=c10d --rdzv-endpoint=$HEAD:29500";

/** Launchers that start the processes of one node. */
const perNodeLaunchers = new Set(["torchrun", "accelerate"]);

/** A file of accelerate for 16 processes on two machines, in a job of another size. */
export const accelerateJob = (nodes: number, gpus: number, tasks: number): Files => ({
  "acc.yaml":
    "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nnum_machines: 2\nnum_processes: 16\nmachine_rank: 0\nmain_process_port: 0\n",
  "two.sbatch":
    `#!/bin/bash\n#SBATCH --nodes=${nodes}\n#SBATCH --gpus-per-node=${gpus}\n#SBATCH --ntasks-per-node=${tasks}\n` +
    "srun bash -c 'accelerate launch --config_file acc.yaml --machine_rank $SLURM_NODEID --main_process_ip $HEAD --main_process_port 29500 train.py'\n",
});

export const slurmLaunchRules: readonly ForeignRule[] = [
  rule({
    name: "slurm-one-node",
    source: "sbatch(1): the batch script runs once, on the first node of the allocation",
    why:
      "Only `srun` starts something on every node of an allocation. Called straight from the batch script, a launcher runs on the first " +
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
            message: `${run.launcher.word.text} runs on the first of ${String(nodes.value)} nodes only: nothing starts it on the others`,
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
    source: "sbatch(1): SLURM_PROCID and SLURM_NODEID of the batch script are those of its first node",
    why:
      "The batch script is one process on the first node, and its shell replaces `$SLURM_NODEID` before `srun` starts anything: every node " +
      "gets 0.",
    fix: "Write srun bash -c '… $SLURM_NODEID …' in single quotes, or \\$SLURM_NODEID in double ones.",
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
            message: `$${variable} is 0 on every node: the batch script replaces it before the nodes see it`,
            ...(elastic ? { severity: "warning" as const } : {}),
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
  rule({
    name: "slurm-own-address",
    source: "torch/distributed/rendezvous.py: _env_rendezvous_handler (MASTER_ADDR)",
    why: "Each node's `localhost` is the node itself. Programs that srun starts on several nodes then each wait for the others at home, until they time out.",
    fix: 'Name the first node of the allocation: MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1).',
    check: ({ runs }) =>
      runs.flatMap((run): readonly Found[] => {
        const address = run.command.env.get("MASTER_ADDR");
        const nodes = Number(run.script.directives.get("nodes")?.value ?? 1);
        const own = run.step?.settings.get("nodes")?.value;
        if (address === undefined || !/^(?:localhost|127\.0\.0\.1)$/.test(address.value ?? "")) return [];
        // A launcher has an address of its own.
        if (run.step === null || !(Number(own ?? nodes) > 1) || run.launcher.kind !== "python") return [];
        return [
          {
            span: address.span,
            message: `${nodes} nodes meet at ${address.value ?? ""}, which is each of them itself`,
          },
        ];
      }),
    fires: {
      "job.sbatch": "#!/bin/bash\n#SBATCH --nodes=2\nexport MASTER_ADDR=localhost\nsrun python train.py\n",
    },
    silent: {
      "job.sbatch":
        '#!/bin/bash\n#SBATCH --nodes=2\nexport MASTER_ADDR=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)\nsrun python train.py\n',
    },
  }),
  rule({
    name: "slurm-launch-address",
    source: "srun(1): SLURM_LAUNCH_NODE_IPADDR is the node from which srun was called",
    why: "Under `salloc` that is a login node, where no rank runs, so no process hosts the store.",
    fix: 'Take the first node of the allocation: $(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1).',
    check: ({ runs }) =>
      runs.flatMap((run) => {
        const told = toldIn(run.launcher.settings, "rdzv_endpoint", "master_addr", "main_process_ip");
        if (told?.from.includes("SLURM_LAUNCH_NODE_IPADDR") !== true) return [];
        return [
          {
            span: told.span,
            message:
              "$SLURM_LAUNCH_NODE_IPADDR is where srun was called, which may be a login node, not the first node of the job",
          },
        ];
      }),
    fires: {
      "job.sh":
        "srun torchrun --nnodes=2 --rdzv-backend=c10d --rdzv-endpoint=$SLURM_LAUNCH_NODE_IPADDR:29500 train.py\n",
    },
    silent: { "job.sh": "srun torchrun --nnodes=2 --rdzv-backend=c10d --rdzv-endpoint=$HEAD:29500 train.py\n" },
  }),
  rule({
    name: "slurm-port",
    severity: "warning",
    source: "torch/distributed/run.py: the store binds the port that is given",
    why: "Two jobs on one node with the same constant port: the second stops with `address already in use`, or worse, joins the first.",
    fix: "Derive the port from the job, $((10000 + SLURM_JOB_ID % 50000)), or request whole nodes: #SBATCH --exclusive.",
    check: ({ runs }) =>
      runs.flatMap((run) => {
        const { directives } = run.script;
        if (directives.size === 0 || directives.has("exclusive") || directives.get("mem")?.value === "0") return [];
        const told = toldIn(run.launcher.settings, "master_port", "main_process_port", "rdzv_endpoint");
        const text = String(told?.value ?? "");
        const port = /^(?:.*:)?(\d{4,5})$/.exec(text)?.[1] ?? portAtEnd(told);
        if (told === undefined || port === null || derived(told)) return [];
        const found = { span: told.span, message: `port ${port} is the same for every job on a node` };
        return [takesNodes(run) ? { ...found, severity: "info" as const } : found];
      }),
    fires: {
      "job.sbatch":
        "#!/bin/bash\n#SBATCH --gpus-per-node=4\ntorchrun --nproc-per-node=4 --rdzv-backend=c10d --rdzv-endpoint=localhost:15213 train.py\n",
    },
    silent: {
      "job.sbatch":
        "#!/bin/bash\n#SBATCH --gpus-per-node=4\nPORT=$((10000 + SLURM_JOB_ID % 50000))\ntorchrun --nproc-per-node=4 --rdzv-backend=c10d --rdzv-endpoint=localhost:$PORT train.py\n",
    },
  }),
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
      "`torchrun` starts one process per GPU of a node, so that Slurm starts one task per node: with a task per GPU there are eight times eight " +
      "processes. And a process without a GPU of its own fails on `invalid device ordinal`.",
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
            message: `${count} processes on a node that the job gives ${gpus.count} GPU${gpus.count === 1 ? "" : "s"}`,
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

/** Nobody else has a GPU there: few nodes have more than eight, and jobs of several nodes seldom share one that gives four. */
function takesNodes({ script: { directives } }: Run): boolean {
  const count = gpusPerNode(directives)?.count ?? 0;
  return count >= 8 || (count >= 4 && Number(directives.get("nodes")?.value ?? 1) > 1);
}

function portAtEnd(told: Told | undefined): string | null {
  if (told === undefined || told.value !== null) return null;
  const { source, start, end } = told.span;
  return /:(\d{4,5})["']?$/.exec(source.text.slice(start, end))?.[1] ?? null;
}

function derived(told: Told): boolean {
  const { source, start, end } = told.span;
  return told.from.some((name) => /JOB|RANDOM/.test(name)) || /\$\(\(|RANDOM|JOB/.test(source.text.slice(start, end));
}
