import type { BlockKind, Type } from "../../dsl/kind.ts";
import { bool, choice, duration, integer, quantity, string } from "../../dsl/types/type.ts";
import { rawKind } from "./raw.ts";

const bytes = quantity([{ byte: 1 }], { min: 0 });

/** Where a run can go. */
export const targets: Type = choice("target", {
  local: {
    doc: "this machine, under torchrun",
    parameters: {
      processes: { type: integer({ min: 1 }), doc: "processes; one per device of the cluster by default" },
      gpus: { type: integer({ min: 0 }), doc: "GPUs of this machine, one process each" },
      grace: { type: duration, doc: "how long a stop may take to save", default: "2 min" },
    },
  },
  slurm: {
    doc: "a Slurm cluster, by sbatch",
    parameters: {
      partition: { type: string, doc: "the site's default where none is given" },
      account: { type: string, doc: "what is charged" },
      qos: { type: string, doc: "quality of service" },
      time: { type: duration, doc: "limit of one job; the partition's where none is given" },
      requeue: { type: bool, doc: "whether a preempted job comes back by itself", default: "true" },
      lead: { type: duration, doc: "how long before the limit it saves", default: "2 min" },
      exclusive: { type: bool, doc: "whether nodes are not shared", default: "false" },
      cpus: { type: integer({ min: 1 }), doc: "cores per node" },
      memory: { type: bytes, doc: "host memory per node; `0 GB` for all of it" },
      constraint: { type: string, doc: "features a node must have" },
      reservation: { type: string, doc: "a reservation to use" },
    },
  },
});

const env: BlockKind = {
  name: "env",
  doc: "Environment variables of the processes; a secret is passed, never written",
  properties: {},
  open: true,
};

export const launch: BlockKind = {
  name: "launch",
  doc: "Where and how runs are started: `launch hpc on pod { … }`",
  properties: { target: { type: targets, doc: "what starts it", default: "local" } },
  blocks: { env },
  nested: { raw: rawKind },
  clauses: ["on"],
  foreign: {
    partition: {
      instead: "it belongs to the target: `target = slurm(partition = …)`",
      rewrite: (v) => `target = slurm(partition = ${v})`,
    },
    time: {
      instead: "it belongs to the target: `target = slurm(time = …)`",
      rewrite: (v) => `target = slurm(time = ${v})`,
    },
    nodes: { instead: "the cluster says it: `cluster pod { nodes = … }`, `launch hpc on pod`" },
  },
};
