/** The commands of a Kubernetes training job, as the script that its containers run. */
import type { Source } from "../../dsl/source/source.ts";
import { at, itemsOf, scalarOf, type Located } from "../foreign/documents/located.ts";
import { restartsOf } from "../foreign/kubernetes/restarts.ts";
import { documentsOf, type Launch } from "../foreign/launch.ts";
import { retriesOf } from "../targets/kubernetes/restarts.ts";
import { optionsOf, mountsOf } from "./pod-options.ts";
import { quote } from "../targets/quote.ts";
import type { Target } from "./place.ts";

export interface ManifestScript {
  readonly source: Source;
  readonly target: Target;
}

/** One script for each manifest that starts a training. */
export function manifestScripts(launch: Launch): readonly ManifestScript[] {
  return documentsOf(launch, "kubernetes").flatMap(({ root, path }) => {
    const all = podsOf(root);
    const withGpus = all.filter(({ gpus }) => gpus !== null);
    // A coordinator or a server of logs stands beside those that train.
    const pods = withGpus.length > 0 ? withGpus : all;
    const [first] = pods;
    if (first === undefined) return [];
    const nodes = pods.reduce((sum, { count }) => sum + count, 0);
    const { container, gpus } = first;
    const words = [...textsOf(at(container, "command")), ...textsOf(at(container, "args"))];
    if (words.length === 0) return [];
    const env = itemsOf(at(container, "env")).flatMap((entry) => {
      const [name, value] = [scalarOf(at(entry, "name")), scalarOf(at(entry, "value"))];
      if (typeof name !== "string") return [];
      // A value from a secret of the cluster is known by its name alone.
      if (value === undefined) return isSecret(entry) ? [`export ${name}=`] : [];
      return [`export ${name}=${quote(String(value))}`];
    });
    const ranks = gpus === null ? [] : [`export NPROC_PER_NODE=${gpus}`, `export PET_NPROC_PER_NODE=${gpus}`];
    const known = [`export PET_NNODES=${nodes}`, `export WORLD_SIZE=${nodes * (gpus ?? 1)}`, ...ranks];
    const text = [
      "#!/bin/bash",
      ...known,
      ...env,
      ...directives(nodes, gpus),
      commandOf(words, nodes, gpus),
      "",
    ].join("\n");
    return [{ source: { path: `${path}#command`, text }, target: targetOf(root, first, nodes) }];
  });
}

interface Pod {
  readonly count: number;
  /** Its spec, where the manifest has it. */
  readonly spec: Located | undefined;
  readonly container: Located;
  readonly gpus: number | null;
}

function podsOf(root: Located): readonly Pod[] {
  const spec = at(root, "spec");
  const found: Pod[] = [];
  const add = (count: unknown, template: Located | undefined): void => {
    const [container] = itemsOf(at(template, "spec", "containers"));
    if (container !== undefined)
      found.push({
        count: typeof count === "number" ? count : 1,
        spec: at(template, "spec"),
        container,
        gpus: gpusOf(container),
      });
  };
  const replicas = at(spec, "pytorchReplicaSpecs");
  if (replicas?.kind === "map")
    for (const { value } of replicas.entries) add(scalarOf(at(value, "replicas")), at(value, "template"));
  for (const each of itemsOf(at(spec, "replicatedJobs")))
    add(
      Number(scalarOf(at(each, "replicas")) ?? 1) *
        Number(scalarOf(at(each, "template", "spec", "parallelism")) ?? 1),
      at(each, "template", "spec", "template"),
    );
  for (const each of itemsOf(at(spec, "tasks"))) add(scalarOf(at(each, "replicas")), at(each, "template"));
  const kind = scalarOf(at(root, "kind"));
  if (kind === "Job" || kind === "Pod")
    add(scalarOf(at(spec, "parallelism")), kind === "Pod" ? root : at(spec, "template"));
  const trainer = at(spec, "trainer");
  if (kind === "TrainJob" && trainer !== undefined) {
    const count = scalarOf(at(trainer, "numNodes"));
    found.push({
      count: typeof count === "number" ? count : 1,
      spec: undefined,
      container: trainer,
      gpus: gpusOf(trainer) ?? numberOf(scalarOf(at(trainer, "numProcPerNode"))),
    });
  }
  return found;
}

function gpusOf(container: Located): number | null {
  for (const where of [
    at(container, "resources", "limits"),
    at(container, "resources", "requests"),
    at(container, "resourcesPerNode", "limits"),
    at(container, "resourcesPerNode", "requests"),
  ]) {
    const found = where?.kind === "map" ? where.entries.find(({ key }) => key.endsWith("/gpu")) : undefined;
    if (found !== undefined) return numberOf(scalarOf(found.value));
  }
  return null;
}

function numberOf(value: unknown): number | null {
  const number = Number(value);
  return value !== null && value !== undefined && Number.isInteger(number) && number > 0 ? number : null;
}

/** Nodes and devices, said as the reader of scripts knows them. */
const directives = (nodes: number, gpus: number | null): readonly string[] => [
  `export NNODES=${nodes}`,
  ...(gpus === null ? [] : [`export GPUS_PER_NODE=${gpus}`]),
];

/** A controller tells torchrun how many there are: what the command leaves out is said. */
function commandOf(words: readonly string[], nodes: number, gpus: number | null): string {
  const [first = "", ...rest] = words;
  const text = words.join(" ");
  if (!/(?:^|\/)torchrun$/.test(first)) return words.map(quote).join(" ");
  const added = [
    ...(/--nnodes/.test(text) ? [] : [`--nnodes=${nodes}`]),
    ...(/--nproc[-_]per[-_]node/.test(text) || gpus === null ? [] : [`--nproc_per_node=${gpus}`]),
  ];
  return [first, ...added, ...rest].map(quote).join(" ");
}

function textsOf(node: Located | undefined): readonly string[] {
  return itemsOf(node).flatMap((item) => {
    const value = scalarOf(item);
    return value === undefined || value === null ? [] : [String(value)];
  });
}

function isSecret(entry: Located): boolean {
  return at(entry, "valueFrom", "secretKeyRef") !== undefined;
}

function targetOf(root: Located, { spec: pod, container }: Pod, nodes: number): Target {
  const namespace = scalarOf(at(root, "metadata", "namespace"));
  const image = scalarOf(at(container, "image"));
  const kind = String(scalarOf(at(root, "kind")) ?? "");
  const queue =
    scalarOf(at(root, "metadata", "labels", "kueue.x-k8s.io/queue-name")) ?? scalarOf(at(root, "spec", "queue"));
  const api = String(scalarOf(at(root, "apiVersion")) ?? "");
  const isVolcano = api.startsWith("batch.volcano");
  const isNamed = queue !== undefined && queue !== null && kind !== "Job";
  const controller = isVolcano ? "volcano" : kind === "Job" ? "job" : "pytorchjob";
  const most = restartsOf(root)?.most ?? null;
  // A JobSet starts all of its pods again.
  const isCounted = controller !== "volcano" && kind !== "JobSet";
  const retries = most !== null && isCounted ? retriesOf(controller as "job" | "pytorchjob", most, nodes) : most;
  return {
    kind: "kubernetes",
    namespace: String(namespace ?? "default"),
    controller,
    queue: isNamed || isVolcano ? String(queue ?? "default") : null,
    image: typeof image === "string" ? image : null,
    retries,
    backoff: retries === null ? most : null,
    options: optionsOf(root, pod, container),
    mounts: mountsOf(pod, container),
  };
}
