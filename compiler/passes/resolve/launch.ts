import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { isPresent } from "../../../dsl/eval/declarations/lookup.ts";
import type { Program } from "../../../dsl/eval/program.ts";
import { nearest } from "../../../dsl/diagnostics/nearest.ts";
import { ofCommandLine } from "../../../dsl/source/source.ts";
import type { ChoiceValue } from "../../../dsl/types/value.ts";
import { conditionFalse } from "../../../dsl/diagnostics/catalog/names.ts";
import { clusterShape, processesTwice, unknownLaunch } from "../../diagnostics/pipeline.ts";
import { clusterIdle, launchChoice, launchIdle, launchNodes } from "../../diagnostics/operations.ts";
import type { ClusterSpec, LaunchSpec } from "../../pipeline.ts";
import { clusterSpec, hourly, thisMachine } from "./cluster-spec.ts";
import { documentOf } from "./document-of.ts";
import { environmentOf } from "./launch-environment.ts";
import { kubernetesOf } from "./kubernetes.ts";
import { launchesOf } from "./launches-of.ts";
import { idleRaw, unreadRaw } from "./raw.ts";
import { placeOf } from "./stage-place.ts";
import { argument, boolOf, choiceAt, group, numberOf, textOf, valued } from "./read.ts";

/** What the command line chose: `--on NAME`, `--target local`. */
export interface Where {
  /** One of another file, in the place of all that this one declares. */
  readonly launch?: LaunchSpec;
  readonly on: string | null;
  readonly target: "local" | "slurm" | null;
}

type Report = (diagnostic: Diagnostic) => void;

/**
 * The launch that was asked for; without a word, the file's first local one, else its first, else one local process.
 * The first of several that are not local is one to plan for, and none to start by itself.
 */
export function launchSpec(program: Program, where: Where, report: Report): LaunchSpec {
  if (where.launch !== undefined) return where.launch;
  const declared = launchesOf(program);
  const launches = declared.filter(isPresent);
  for (const launch of launches) {
    const target = choiceAt(launch, "target")?.name ?? "local";
    for (const diagnostic of [...unreadRaw(launch), ...idleRaw(launch, target)]) report(diagnostic);
    environmentOf(launch, report);
  }
  const ofTarget = (name: string) => launches.find((launch) => choiceAt(launch, "target")?.name === name);
  if (where.on !== null) {
    const named = launches.find((launch) => launch.name === where.on);
    if (named !== undefined) return read(named, report);
    report(unknown(where.on, declared));
  }
  const chosen = where.target === null ? (ofTarget("local") ?? launches[0]) : ofTarget(where.target);
  if (chosen !== undefined) {
    const isOpen = where.on === null && where.target === null && launches.length > 1;
    if (isOpen && choiceAt(chosen, "target")?.name !== "local" && hasSteps(program)) {
      const valid = launches.map(({ name }) => name ?? "");
      report(launchChoice(chosen.span, { first: chosen.name ?? "", valid }, { valid }));
    }
    return read(chosen, report);
  }
  if (declared.length === 0) for (const cluster of idleClusters(program)) report(clusterIdle(cluster.span, {}));
  return plainLaunch(where.target ?? "local", program);
}

/** The launches of a file beside the chosen one, of which alone it is told what is wrong with how it is read. */
export function otherLaunches(program: Program, chosen: LaunchSpec): readonly LaunchSpec[] {
  return launchesOf(program)
    .filter((launch) => isPresent(launch) && launch.span !== chosen.span)
    .map((launch) => read(launch, () => undefined));
}

/** A launch that is declared and absent is told as that, not as unknown. */
function unknown(name: string, declared: readonly Instance[]): Diagnostic {
  const span = ofCommandLine("--on", name);
  const valid = declared
    .filter(isPresent)
    .map((launch) => launch.name ?? "")
    .sort();
  const condition = declared.find((launch) => launch.name === name)?.values.get("when");
  if (condition === undefined) {
    const none = { fix: "Declare a launch, `launch NAME on CLUSTER { target = local }`, or leave out `--on`." };
    return unknownLaunch(span, { name, near: nearest(name, valid) }, valid.length === 0 ? none : { valid });
  }
  const related = [{ message: "this condition is false", span: condition.expression.span }];
  return conditionFalse(span, { name }, { related, valid });
}

const hasSteps = ({ blocks }: Program): boolean =>
  blocks.some(({ kind, abstract }) => kind.step === true && !abstract);

/** Clusters that the file declares beside its stages. Where a part of it cannot be read, a launch may stand there. */
function idleClusters({ blocks, root, diagnostics }: Program): readonly Instance[] {
  if (diagnostics.some(({ code }) => code.startsWith("cdr/syntax-"))) return [];
  const own = blocks.filter((block) => !block.abstract && block.span.source.path === root.path);
  const stages = own.filter(({ kind }) => kind.name === "stage");
  const named = new Set(stages.map(placeOf));
  return stages.length > 0 ? own.filter((block) => block.kind.name === "cluster" && !named.has(block)) : [];
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
    cluster: thisMachine(span, 1),
    target: target === "local" ? { kind: "local", grace: 120 } : { kind: "slurm", ...slurm },
    env: {},
  };
}

/** How many nodes a target reaches; `null` for as many as there are. */
function reachOf(
  target: ChoiceValue,
): { readonly nodes: number; readonly words: string; readonly isListed?: true } | null {
  const hosts = argument(target, "hosts");
  if (target.name === "local") return { nodes: 1, words: "`target = local` is only this machine" };
  if (target.name === "ssh" && hosts?.kind === "list") {
    const length = new Set(hosts.items.map(({ value }) => textOf(value))).size;
    return { nodes: length, words: `\`ssh\` lists ${length === 1 ? "one host" : `${length} hosts`}`, isListed: true };
  }
  return null;
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
  const base = block === null ? thisMachine(launch.span, processes ?? 1) : clusterSpec(block);
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
  const reach = target === null ? null : reachOf(target);
  // What was meant as its target is told as that.
  if (block !== null && reach !== null && base.nodes > reach.nodes && !launch.strangers.has("target"))
    report(
      launchNodes(
        valued(launch, "target").span,
        { cluster: block.name ?? "", nodes: base.nodes, reaches: reach.words },
        reach.isListed === true ? { severity: "error" } : {},
      ),
    );
  const cluster = {
    ...(processes === null ? base : { ...base, gpusPerNode: processes }),
    ...(block === null ? {} : spotOf(block, target)),
  };
  return {
    name: launch.name ?? "launch",
    span: launch.span,
    spans: spansOf(launch, target),
    cluster,
    target:
      target?.name === "slurm"
        ? slurmOf(target, launch)
        : target?.name === "kubernetes"
          ? kubernetesOf(target, launch, block)
          : { kind: "local", grace: (target === null ? null : numberOf(argument(target, "grace"))) ?? 120 },
    env: environmentOf(launch, report),
  };
}

/** `workers` keeps the first node, which coordinates the others. */
function spotOf(cluster: Instance, target: ChoiceValue | null): Pick<ClusterSpec, "spot"> {
  const which = target === null ? null : textOf(argument(target, "spot"));
  return which === null ? {} : { spot: { price: hourly(cluster, "spot_price"), kept: which === "all" ? 0 : 1 } };
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
    ...(["image", "mounts"] as const)
      .filter((name) => launch.values.has(name))
      .map((name) => [name, valued(launch, name).span] as const),
    ...[...(raw?.values ?? [])].map(([name, entry]) => [`raw.${name}`, entry.nameSpan] as const),
    ...[...(env?.values ?? [])].map(([name, entry]) => [`env.${name}`, entry.nameSpan] as const),
  ]);
}
