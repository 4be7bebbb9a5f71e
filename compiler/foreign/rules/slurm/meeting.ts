/** Where the ranks of a job meet: an address that all nodes reach, a port that no other job has. */
import { gpusPerNode } from "../../slurm/directives.ts";
import type { Run } from "../../launch.ts";
import { toldIn, type Told } from "../../settings.ts";
import { rule, type ForeignRule, type Found } from "../rule.ts";

export const slurmMeetingRules: readonly ForeignRule[] = [
  rule({
    name: "slurm-own-address",
    source: "torch/distributed/rendezvous.py: _env_rendezvous_handler (MASTER_ADDR)",
    why: "On each node `localhost` is that node. Programs that srun starts on several nodes then each wait for the others on their own node, until they time out.",
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
            message: `${nodes} nodes meet at ${address.value ?? ""}, which on each node is the node itself`,
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
    why: "Under `salloc` this is a login node, where no rank runs, so no process hosts the store.",
    fix: 'Use the first node of the allocation: $(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1).',
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
    why: "With two jobs on one node and the same fixed port, the second stops with `address already in use`, or worse, joins the first.",
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
];

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
