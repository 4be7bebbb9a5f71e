import type { Constructor } from "../../../dsl/kind.ts";
import { bool, bytes, duration, enumeration, integer, string } from "../../../dsl/types/type.ts";

/** What the machines are is said of them. */
const machines: NonNullable<Constructor["foreign"]> = {
  nodes: "`nodes` of the cluster: `cluster pod extends … { nodes = 2 }`",
  ...Object.fromEntries(
    ["gpus", "gpus_per_node", "gres", "ntasks_per_node", "ntasks"].map((name) => [
      name,
      "`node { gpus = 8 }` of the cluster: each GPU has its process",
    ]),
  ),
};

export const slurm: Constructor = {
  doc: "a Slurm cluster, by sbatch",
  parameters: {
    partition: { type: string, doc: "the site's default if none is given", also: ["queue"] },
    account: { type: string, doc: "the account that is charged" },
    qos: { type: string, doc: "quality of service" },
    time: { type: duration, doc: "limit of one job; the partition's if none is given" },
    requeue: { type: bool, doc: "whether a preempted job is requeued automatically", default: "true" },
    lead: { type: duration, doc: "how long before the limit it saves", default: "2 min" },
    exclusive: { type: bool, doc: "whether nodes are not shared", default: "false" },
    cpus: { type: integer({ min: 1 }), doc: "cores per node", also: ["cpus_per_task"] },
    memory: { type: bytes, doc: "host memory per node; `0 GB` for all of it", also: ["mem"] },
    constraint: { type: string, doc: "features a node must have" },
    reservation: { type: string, doc: "a reservation to use" },
    start: {
      type: enumeration("starter", ["torchrun", "srun"]),
      doc: "what starts the ranks of a node: torchrun, which is what runs, or srun, one task each",
      runs: false,
    },
  },
  foreign: machines,
};
