import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/instance.ts";
import type { Program } from "../../../dsl/eval/program.ts";
import { nearest } from "../../../dsl/diagnostics/nearest.ts";
import { removal } from "../../../dsl/diagnostics/suggest.ts";
import { ofCommandLine } from "../../../dsl/source/source.ts";
import { show, type ChoiceValue, type Valued } from "../../../dsl/types/value.ts";
import {
  clusterShape,
  launchEnvName,
  launchEnvOwned,
  launchEnvValue,
  processesTwice,
  unknownLaunch,
} from "../../diagnostics/pipeline.ts";
import { launchIdle } from "../../diagnostics/operations.ts";
import { devices } from "../../hardware/index.ts";
import type { ClusterSpec, Device, LaunchSpec } from "../../pipeline.ts";
import {
  argument,
  blockAt,
  boolOf,
  choiceAt,
  group,
  numberAt,
  numberOf,
  textAt,
  textOf,
  unitOf,
  valued,
} from "./read.ts";
import { documentOf } from "./document-of.ts";
import { openNodes } from "./open-nodes.ts";
import { idleRaw, unreadRaw } from "./raw.ts";

/** What the command line chose: `--on NAME`, `--target local`. */
export interface Where {
  /** One of another file, in the place of all that this one declares. */
  readonly launch?: LaunchSpec;
  readonly on: string | null;
  readonly target: "local" | "slurm" | null;
}

type Report = (diagnostic: Diagnostic) => void;

/** The launch that was asked for; without a word, the file's only one, else its first local one, else one local process. */
export function launchSpec(program: Program, where: Where, report: Report): LaunchSpec {
  if (where.launch !== undefined) return where.launch;
  // An import brings names, never effects: a launch counts where the root file declares it or imports it by name.
  const known = new Set([...program.root.names.values()]);
  const launches = program.blocks.filter(
    (block) => block.kind.name === "launch" && !block.abstract && block.symbol !== null && known.has(block.symbol),
  );
  for (const launch of launches) {
    const target = choiceAt(launch, "target")?.name ?? "local";
    for (const diagnostic of [...unreadRaw(launch), ...idleRaw(launch, target)]) report(diagnostic);
    envOf(launch, report);
  }
  const ofTarget = (name: string) => launches.find((launch) => choiceAt(launch, "target")?.name === name);
  if (where.on !== null) {
    const named = launches.find((launch) => launch.name === where.on);
    if (named !== undefined) return read(named, report);
    const valid = launches.map((launch) => launch.name ?? "").sort();
    report(
      unknownLaunch(ofCommandLine("--on", where.on), { name: where.on, near: nearest(where.on, valid) }, { valid }),
    );
  }
  const chosen =
    where.target === null ? (launches.length === 1 ? launches[0] : ofTarget("local")) : ofTarget(where.target);
  if (chosen !== undefined) return read(chosen, report);
  return plainLaunch(where.target ?? "local", program);
}

/** A target with its defaults and one process, for files that say nothing of where they run. */
function plainLaunch(target: "local" | "slurm", program: Program): LaunchSpec {
  const span = { source: program.root.file.source, start: 0, end: 0 };
  const slurm = {
    partition: null,
    account: null,
    qos: null,
    time: null,
    requeue: true,
    lead: 120,
    exclusive: false,
    cpus: null,
    memory: null,
    constraint: null,
    reservation: null,
    raw: {},
  };
  return {
    name: target,
    span,
    spans: new Map(),
    cluster: oneProcess(span, 1),
    target: target === "local" ? { kind: "local", grace: 120 } : { kind: "slurm", ...slurm },
    env: {},
  };
}

function oneProcess(span: ClusterSpec["span"], processes: number): ClusterSpec {
  return {
    name: "this machine",
    span,
    device: cpuDevice(),
    nodes: 1,
    gpusPerNode: processes,
    ram: null,
    cores: null,
    link: 5e9,
    network: 1.25e9,
    price: null,
  };
}

function cpuDevice(): Device {
  const device = devices.get("cpu");
  if (device === undefined) throw new Error("the table of devices has no cpu");
  return device;
}

function read(launch: Instance, report: Report): LaunchSpec {
  const target = choiceAt(launch, "target");
  const on = launch.clauses.on;
  const symbol = on === null ? null : launch.context.resolve(on.path, on.module);
  const block = symbol === null ? null : launch.context.instanceOf(symbol);
  const [asked, gpus] =
    target === null ? [null, null] : [numberOf(argument(target, "processes")), numberOf(argument(target, "gpus"))];
  if (asked !== null && gpus !== null) {
    report(processesTwice(valued(launch, "target").span, { gpus, processes: asked }));
  }
  const processes = asked ?? gpus;
  const base = block === null ? oneProcess(launch.span, processes ?? 1) : clusterSpec(block);
  if (block !== null && processes !== null && processes > base.gpusPerNode) {
    report(
      clusterShape(valued(launch, "target").span, {
        processes: `${processes} processes`,
        found: `a node with ${base.gpusPerNode}`,
      }),
    );
  }
  if (block !== null && processes !== null && processes < base.gpusPerNode && base.device.kind === "gpu")
    report(launchIdle(valued(launch, "target").span, { processes, gpus: base.gpusPerNode }));
  const cluster = processes === null ? base : { ...base, gpusPerNode: processes };
  return {
    name: launch.name ?? "launch",
    span: launch.span,
    spans: spansOf(launch, target),
    cluster,
    target:
      target?.name === "slurm"
        ? slurmOf(target, launch)
        : { kind: "local", grace: (target === null ? null : numberOf(argument(target, "grace"))) ?? 120 },
    env: envOf(launch, report),
  };
}

function ramWritten(node: Instance | null): Pick<ClusterSpec, "ramSpan"> {
  const said = node === null ? null : valued(node, "ram");
  return said?.origin.kind === "written" && !said.span.source.path.startsWith("std/") ? { ramSpan: said.span } : {};
}

export function clusterSpec(block: Instance): ClusterSpec {
  const node = group(block, "node");
  const gpu = blockAt(block, "gpu");
  return {
    name: textAt(block, "name") ?? block.name ?? "cluster",
    span: block.span,
    device: gpu === null ? cpuDevice() : deviceOf(gpu),
    nodes: numberAt(block, "nodes") ?? 1,
    gpusPerNode: (node === null ? null : numberAt(node, "gpus")) ?? 1,
    ram: node === null ? null : numberAt(node, "ram"),
    ...ramWritten(node),
    cores: node === null ? null : numberAt(node, "cpu"),
    link: numberAt(block, "link") ?? 32e9,
    network: numberAt(block, "network") ?? 1.25e9,
    price: ((price) => (price === null ? null : price * 3600))(numberAt(block, "price")),
    ...calibrationOf(block),
    ...openNodes(block),
  };
}

const measured = [
  "fp32",
  "bf16",
  "attention",
  "kernels",
  "optimizer",
  "layer",
  "fork",
  "step",
  "link",
  "latency",
  "resident",
  "heap",
  "time_error",
  "memory_error",
] as const;

function calibrationOf(cluster: Instance): Pick<ClusterSpec, "calibration"> {
  const block = group(cluster, "calibration");
  if (block === null) return {};
  const known = measured.map((name) => [name, numberAt(block, name)] as const).filter(([, value]) => value !== null);
  return { calibration: Object.fromEntries(known) };
}

function deviceOf(gpu: Instance): Device {
  const fp8 = numberAt(gpu, "fp8");
  const fp4 = numberAt(gpu, "fp4");
  return {
    name: gpu.symbol?.name.text ?? gpu.name ?? "gpu",
    kind: textAt(gpu, "kind") === "processor" ? "cpu" : "gpu",
    memory: numberAt(gpu, "memory") ?? 0,
    flops: {
      fp32: numberAt(gpu, "fp32") ?? 0,
      bf16: numberAt(gpu, "bf16") ?? 0,
      fp16: numberAt(gpu, "fp16") ?? 0,
      ...(fp8 === null ? {} : { fp8 }),
      ...(fp4 === null ? {} : { fp4 }),
    },
    bandwidth: numberAt(gpu, "bandwidth") ?? 0,
  };
}

function slurmOf(target: ChoiceValue, launch: Instance): LaunchSpec["target"] {
  const raw = launch.blocks.get("sbatch");
  const plain = raw === undefined ? {} : documentOf(raw);
  return {
    kind: "slurm",
    partition: textOf(argument(target, "partition")),
    account: textOf(argument(target, "account")),
    qos: textOf(argument(target, "qos")),
    time: numberOf(argument(target, "time")),
    requeue: boolOf(argument(target, "requeue")) ?? true,
    lead: numberOf(argument(target, "lead")) ?? 120,
    exclusive: boolOf(argument(target, "exclusive")) ?? false,
    cpus: numberOf(argument(target, "cpus")),
    memory: numberOf(argument(target, "memory")),
    constraint: textOf(argument(target, "constraint")),
    reservation: textOf(argument(target, "reservation")),
    raw: Object.fromEntries(
      Object.entries(plain).flatMap(([key, value]) => (typeof value === "object" ? [] : [[key, value]])),
    ),
  };
}

/** Where each option of the target, the raw block and the environment was written. */
function spansOf(launch: Instance, target: ChoiceValue | null): LaunchSpec["spans"] {
  const raw = launch.blocks.get("sbatch");
  const env = group(launch, "env");
  return new Map([
    ...[...(target?.arguments ?? [])]
      .filter(([, value]) => value.origin.kind !== "default")
      .map(([name, value]) => [name, value.span] as const),
    ...[...(raw?.values ?? [])].map(([name, entry]) => [`raw.${name}`, entry.nameSpan] as const),
    ...[...(env?.values ?? [])].map(([name, entry]) => [`env.${name}`, entry.nameSpan] as const),
  ]);
}

/** What torchrun tells each rank: a value of one's own would end up in no process, or in a wrong one. */
const ownedByTorchrun = new Set([
  "RANK",
  "WORLD_SIZE",
  "LOCAL_RANK",
  "LOCAL_WORLD_SIZE",
  "MASTER_ADDR",
  "MASTER_PORT",
]);

function envOf(launch: Instance, report: Report): LaunchSpec["env"] {
  const env = group(launch, "env");
  if (env === null) return {};
  for (const [name, block] of env.blocks) report(launchEnvValue(block.span, { name, found: "a block" }));
  return Object.fromEntries(
    [...env.values].flatMap(([name, entry]): [string, string | { secret: string }][] => {
      const at = entry.nameSpan;
      if (ownedByTorchrun.has(name)) {
        report(launchEnvOwned(at, { name }, { fixes: [removal({ ...at, end: entry.expression.span.end })] }));
        return [];
      }
      const value = environmentValue(name, valued(env, name), report);
      const wrong = [name, ...(typeof value === "object" && value !== null ? [value.secret] : [])].find(
        (one) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(one),
      );
      if (wrong !== undefined) report(launchEnvName(at, { name: wrong }));
      return value === null || wrong !== undefined ? [] : [[name, value]];
    }),
  );
}

/** A text, a plain number, true or false, or a secret; `null` for `none`, which takes one back, and for anything else, which is reported. */
function environmentValue(name: string, { value, span }: Valued, report: Report): string | { secret: string } | null {
  const text = textOf(value);
  if (text !== null) return text;
  if (value.kind === "unknown" || value.kind === "none") return null;
  if (value.kind === "secret") return { secret: textOf(argument(value.from, "name")) ?? name };
  if (value.kind === "bool") return String(value.value);
  if (value.kind === "number" && !value.percent && unitOf(value) === null) return String(value.value);
  report(launchEnvValue(span, { name, found: show(value) }));
  return null;
}
