/** The pods that manifests of training jobs make. */
import type { Span } from "../../../dsl/source/source.ts";
import { documentsOf, type Launch } from "../launch.ts";
import { at, itemsOf, scalarOf, type Located } from "../documents/located.ts";

/** Pods of one role. */
export interface Pods {
  readonly job: string;
  readonly role: string;
  /** How many there are; `null` where the manifest leaves it to something else. */
  readonly count: number | null;
  /** Where their number is written. */
  readonly countSpan: Span | null;
  /** The pod; of a TrainJob, whose pods come from a runtime, there is none. */
  readonly template: Located | null;
  /** What its command and its resources stand in. */
  readonly containers: readonly Located[];
  readonly owner: Located;
}

export function podsOf(root: Located): readonly Pods[] {
  const job = String(scalarOf(at(root, "kind")) ?? "");
  const spec = at(root, "spec");
  if (spec === undefined) return [];
  const made = (
    role: string,
    counts: readonly (Located | undefined)[],
    template: Located | undefined,
    owner: Located,
  ) => {
    if (template === undefined) return [];
    const numbers = counts.map((node) => (node === undefined ? 1 : scalarOf(node)));
    const isKnown = numbers.every((number) => typeof number === "number");
    const count = isKnown ? numbers.reduce((product: number, number) => product * Number(number), 1) : null;
    const countSpan = counts.find((node) => node !== undefined)?.span ?? null;
    const containers = itemsOf(at(template, "spec", "containers"));
    return [{ job, role, count, countSpan, template, containers, owner }];
  };
  const replicas = at(spec, "pytorchReplicaSpecs");
  const ofReplicas =
    replicas?.kind === "map"
      ? replicas.entries.flatMap(({ key, value }) => made(key, [at(value, "replicas")], at(value, "template"), value))
      : [];
  const ofJobs = itemsOf(at(spec, "replicatedJobs")).flatMap((each) => {
    const inner = at(each, "template", "spec");
    const role = String(scalarOf(at(each, "name")) ?? "");
    return made(role, [at(inner, "parallelism"), at(each, "replicas")], at(inner, "template"), each);
  });
  const ofTasks =
    job === "Job"
      ? itemsOf(at(spec, "tasks")).flatMap((each) => {
          const role = String(scalarOf(at(each, "name")) ?? "");
          return made(role, [at(each, "replicas")], at(each, "template"), each);
        })
      : [];
  const plain =
    job === "Pod"
      ? made("pod", [], root, root)
      : job === "Job"
        ? made("job", [at(spec, "parallelism")], at(spec, "template"), spec)
        : [];
  return [...ofReplicas, ...ofJobs, ...ofTasks, ...plain, ...(job === "TrainJob" ? trainerOf(spec) : [])];
}

/** Its pods come from a runtime of the cluster, which says what the trainer does not. */
function trainerOf(spec: Located): readonly Pods[] {
  const trainer = at(spec, "trainer");
  if (trainer === undefined) return [];
  const nodes = at(trainer, "numNodes");
  const count = scalarOf(nodes);
  return [
    {
      job: "TrainJob",
      role: "trainer",
      count: typeof count === "number" ? count : null,
      countSpan: nodes?.span ?? null,
      template: null,
      containers: [trainer],
      owner: trainer,
    },
  ];
}

/** GPUs of one pod, and where they are asked for. */
export function gpusOfPod({ containers }: Pods): { readonly count: number; readonly span: Span } | null {
  for (const container of containers)
    for (const resources of ["resources", "resourcesPerNode"])
      for (const kind of ["limits", "requests"]) {
        const asked = at(container, resources, kind);
        const found = asked?.kind === "map" ? asked.entries.find(({ key }) => key.endsWith("/gpu")) : undefined;
        const count = found === undefined ? Number.NaN : Number(scalarOf(found.value));
        if (found !== undefined && Number.isInteger(count) && count > 0) return { count, span: found.value.span };
      }
  return null;
}

/** Those that train: they have GPUs, or nothing says which have. */
export function trainingPods(root: Located): readonly Pods[] {
  const all = podsOf(root).filter(({ count }) => count !== 0);
  const withGpus = all.filter((pods) => gpusOfPod(pods) !== null);
  return withGpus.length > 0 ? withGpus : all;
}

/** Ranks, nodes and GPUs of a node that manifests make, where they say them alone. */
export function podWorld(
  launch: Pick<Launch, "documents">,
): { readonly nodes: number; readonly perNode: number } | null {
  const jobs = documentsOf(launch as Launch, "kubernetes").filter(({ root }) => trainingPods(root).length > 0);
  const [only] = jobs;
  if (only === undefined || jobs.length > 1) return null;
  const pods = trainingPods(only.root);
  const gpus = pods.map(gpusOfPod);
  const [first] = gpus;
  const nodes = pods.reduce((sum, { count }) => sum + (count ?? Number.NaN), 0);
  if (first == null || Number.isNaN(nodes) || gpus.some((each) => each?.count !== first.count)) return null;
  return { nodes, perNode: first.count };
}
