import type { BlockKind, Type } from "../../dsl/kind.ts";
import { block, choice, enumeration, noneType, string, union } from "../../dsl/types/type.ts";
import { imageReference } from "./forms.ts";
import { environment } from "./python.ts";
import { rawKind } from "./raw.ts";
import { mounts } from "./store.ts";
import { kubernetes } from "./targets/kubernetes.ts";
import { local } from "./targets/local.ts";
import { slurm } from "./targets/slurm.ts";
import { ssh } from "./targets/ssh.ts";

/** Where a run can go. */
export const targets: Type = choice("target", { local, slurm, ssh, kubernetes });

export const env: BlockKind = {
  name: "env",
  doc: "Environment variables of the processes; a secret is passed, never written",
  properties: {},
  open: true,
};

export const launch: BlockKind = {
  name: "launch",
  also: ["launcher", "deploy", "deployment", "submit"],
  doc: "Where and how runs are started: `launch hpc on pod { … }`",
  begins: ["target"],
  properties: {
    target: { type: targets, doc: "the system that starts it", default: "local" },
    python: environment,
    image: {
      type: union(block("image"), imageReference, noneType),
      doc: "the container it runs in: an `image` block, or a reference in quotes",
      runs: false,
      compiledBeside: ["kubernetes"],
    },
    mounts,
    backend: {
      type: enumeration("backend", ["nccl", "gloo"]),
      doc: "backend of collectives between ranks; by default NCCL between GPUs and gloo between CPUs",
      runs: false,
    },
    code: {
      type: enumeration("code", ["in_place", "snapshot"]),
      doc: "whether processes run the sources in place, or a copy that is made when the run starts",
      default: "in_place",
      runs: false,
    },
    setup: { type: string, doc: "a shell command on each node before anything starts", runs: false },
  },
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
    namespace: {
      instead: "it belongs to the target: `target = kubernetes(namespace = …)`",
      rewrite: (v) => `target = kubernetes(namespace = ${v})`,
    },
    nodes: { instead: "the cluster sets it: `cluster pod { nodes = … }`, `launch hpc on pod`" },
    container: { instead: "write `image`", rewrite: (v) => `image = ${v}` },
    volumes: { instead: "write `mounts`", rewrite: (v) => `mounts = ${v}` },
  },
};
