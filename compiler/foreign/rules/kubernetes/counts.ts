/** Processes of a command against the pods and the GPUs that its manifest asks for. */
import type { Span } from "../../../../dsl/source/source.ts";
import { documentsOf, type Launch } from "../../launch.ts";
import { at, itemsOf, scalarOf, type Located } from "../../documents/located.ts";
import { gpusOfPod, trainingPods, type Pods } from "../../kubernetes/pods.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";
import { counted } from "../../../../dsl/diagnostics/counted.ts";

interface Said {
  readonly count: number;
  readonly span: Span;
}

/** A number that a container's command gives an option; `null` where it gives none, or one that only the pod knows. */
function optionOf(containers: readonly Located[], name: string): Said | null {
  for (const container of containers) {
    const words = ["command", "args"].flatMap((part) => {
      const node = at(container, part);
      return node?.kind === "scalar" ? [node] : itemsOf(node);
    });
    for (const [index, word] of words.entries()) {
      const { source, start, end } = word.span;
      const inside = new RegExp(`--${name}(?:=|[ \\t]+)["']?(\\d+)(?![\\w:.])`).exec(source.text.slice(start, end));
      if (inside !== null) {
        const from = start + inside.index + inside[0].length - (inside[1] ?? "").length;
        return { count: Number(inside[1]), span: { source, start: from, end: from + (inside[1] ?? "").length } };
      }
      const next = words[index + 1];
      const count = Number(scalarOf(next));
      if (new RegExp(`^--${name}$`).test(String(scalarOf(word))) && next !== undefined && Number.isInteger(count))
        return { count, span: next.span };
    }
  }
  return null;
}

/** The word of a command that starts a program by itself, with no launcher in between. */
function plainPython(containers: readonly Located[]): Span | null {
  for (const container of containers) {
    const [first, second] = [...itemsOf(at(container, "command")), ...itemsOf(at(container, "args"))];
    if (first === undefined || second === undefined) continue;
    if (/^python[\d.]*$/.test(String(scalarOf(first))) && String(scalarOf(second)).endsWith(".py")) return first.span;
  }
  return null;
}

const processes = "nproc[-_]per[-_]node";

const roots = (launch: Launch): readonly Located[] => documentsOf(launch, "kubernetes").map(({ root }) => root);

/** How many pods train, where the manifest says it of every role. */
function totalOf(pods: readonly Pods[]): number | null {
  const counts = pods.map(({ count }) => count);
  return counts.length === 0 || counts.includes(null)
    ? null
    : counts.reduce((sum: number, each) => sum + (each ?? 0), 0);
}

/** Nodes that come and go are no number. */
const isElastic = (root: Located): boolean => at(root, "spec", "elasticPolicy") !== undefined;

const job = (gpus: number, command: string, workers = 3, more = ""): string =>
  `apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata:\n  name: a\nspec:\n${more}  pytorchReplicaSpecs:\n${[
    "Master",
    "Worker",
  ]
    .map(
      (role) =>
        `    ${role}:\n      replicas: ${role === "Master" ? 1 : workers}\n      restartPolicy: OnFailure\n      template:\n        spec:\n          containers:\n            - name: pytorch\n              image: i\n              command: [${command}]\n              resources:\n                limits:\n                  nvidia.com/gpu: ${gpus}\n              volumeMounts:\n                - { name: shm, mountPath: /dev/shm }\n`,
    )
    .join("")}`;
const indexed = (parallelism: number, completions: number): string =>
  `apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\nspec:\n  completionMode: Indexed\n  parallelism: ${parallelism}\n  completions: ${completions}\n  template:\n    spec:\n      restartPolicy: Never\n      containers:\n        - name: t\n          image: i\n          command: [torchrun, --nnodes=4, --nproc-per-node=1, train.py]\n          resources:\n            limits:\n              nvidia.com/gpu: 1\n`;

export const kubernetesCountRules: readonly ForeignRule[] = [
  rule({
    name: "kubernetes-command-processes",
    source: "torch/distributed/run.py: determine_local_world_size; Kubernetes: limits of nvidia.com/gpu",
    why: "A process takes one GPU of its pod. With more processes than GPUs the last ones fail on `invalid device ordinal`.",
    fix: "Give --nproc-per-node the GPUs of the pod, or request the same number with nvidia.com/gpu.",
    check: (launch) =>
      roots(launch).flatMap((root) =>
        trainingPods(root).flatMap((pods): readonly Found[] => {
          const [gpus, asked] = [gpusOfPod(pods), optionOf(pods.containers, processes)];
          if (gpus === null || asked === null || asked.count <= gpus.count) return [];
          return [
            {
              span: asked.span,
              message: `${counted(asked.count, "process")} in a pod with ${counted(gpus.count, "GPU")}`,
              valid: [String(gpus.count)],
              ...nearby("its GPUs", gpus.span),
            },
          ];
        }),
      ),
    fires: { "job.yaml": job(4, '"torchrun", "--nproc_per_node=8", "train.py"') },
    silent: { "job.yaml": job(8, '"torchrun", "--nproc_per_node=8", "train.py"') },
  }),
  rule({
    name: "kubernetes-idle-gpus",
    severity: "warning",
    source: "torch/distributed/run.py: determine_local_world_size; training-operator: nprocPerNode",
    why: "A process uses one GPU: further GPUs of a pod are allocated but never used.",
    fix: "Start as many processes as the pod has GPUs, or request fewer GPUs.",
    check: (launch) =>
      roots(launch).flatMap((root) => {
        const told = at(root, "spec", "nprocPerNode") ?? at(root, "spec", "trainer", "numProcPerNode");
        const said = Number(scalarOf(told));
        const own = told !== undefined && Number.isInteger(said) ? { count: said, span: told.span } : null;
        const seen = new Set<number>();
        return trainingPods(root).flatMap((pods): readonly Found[] => {
          const gpus = gpusOfPod(pods);
          const alone = told === undefined || seen.has(told.span.start) ? null : plainPython(pods.containers);
          if (
            gpus !== null &&
            gpus.count > 1 &&
            alone !== null &&
            told !== undefined &&
            String(scalarOf(told)) !== "1"
          ) {
            seen.add(told.span.start);
            return [
              {
                span: alone,
                message: `python starts one process in a pod with ${counted(gpus.count, "GPU")}: only torchrun reads how many a node has`,
                ...nearby("its processes", told.span),
              },
            ];
          }
          const asked = optionOf(pods.containers, processes) ?? own;
          if (gpus === null || asked === null || asked.count >= gpus.count || seen.has(asked.span.start)) return [];
          seen.add(asked.span.start);
          return [
            {
              span: asked.span,
              message: `${counted(asked.count, "process")} in a pod with ${counted(gpus.count, "GPU")}: ${counted(gpus.count - asked.count, "GPU")} of each pod ${gpus.count - asked.count === 1 ? "is" : "are"} idle`,
              valid: [String(gpus.count)],
              ...nearby("its GPUs", gpus.span),
            },
          ];
        });
      }),
    fires: { "job.yaml": job(8, '"torchrun", "--nproc_per_node=4", "train.py"') },
    silent: { "job.yaml": job(4, '"torchrun", "--nproc_per_node=4", "train.py"') },
  }),
  rule({
    name: "kubernetes-command-nodes",
    source: "torch/distributed/run.py: parse_min_max_nnodes; elastic/rendezvous: min_nodes",
    why: "The rendezvous waits until the number of pods in --nnodes has joined, and turns away later ones: with fewer pods it waits until its timeout, with more the rest fail.",
    fix: "Give --nnodes the number of pods that train: of a PyTorchJob, the master and its workers.",
    check: (launch) =>
      roots(launch).flatMap((root) => {
        const pods = trainingPods(root);
        const total = totalOf(pods);
        if (total === null || isElastic(root)) return [];
        return pods.flatMap((each): readonly Found[] => {
          const asked = optionOf(each.containers, "nnodes");
          if (asked === null || asked.count === total) return [];
          return [
            {
              span: asked.span,
              message: `--nnodes ${asked.count} in a job of ${counted(total, "pod")}`,
              valid: [String(total)],
              ...nearby("the pods", pods.findLast(({ countSpan }) => countSpan !== null)?.countSpan ?? undefined),
            },
          ];
        });
      }),
    fires: { "job.yaml": job(8, '"torchrun", "--nnodes", "3", "--nproc_per_node=8", "train.py"') },
    silent: { "job.yaml": job(8, '"torchrun", "--nnodes", "4", "--nproc_per_node=8", "train.py"') },
  }),
  rule({
    name: "kubernetes-pod-gpus",
    severity: "warning",
    source: "training-operator: nprocPerNode holds for every replica; torch/distributed/run.py",
    why: "The number of ranks is nodes times processes per node. If the pods of one job have different numbers of GPUs, some GPUs are idle or some processes have none.",
    fix: "Request the same nvidia.com/gpu in every role that trains.",
    check: (launch) =>
      roots(launch).flatMap((root): readonly Found[] => {
        if (scalarOf(at(root, "kind")) !== "PyTorchJob") return [];
        const gpus = trainingPods(root).map(gpusOfPod);
        const [first, other] = [gpus[0], gpus.find((each) => each?.count !== gpus[0]?.count)];
        if (first == null || other == null) return [];
        return [
          {
            span: other.span,
            message: `one role has ${counted(first.count, "GPU")} per pod and another has ${other.count}`,
            valid: [String(first.count)],
            ...nearby("the other role", first.span),
          },
        ];
      }),
    fires: { "job.yaml": job(8, '"python", "train.py"').replace("nvidia.com/gpu: 8", "nvidia.com/gpu: 4") },
    silent: { "job.yaml": job(8, '"python", "train.py"') },
  }),
  rule({
    name: "kubernetes-parallelism",
    source: "Kubernetes: Job.spec.parallelism, Job.spec.completions",
    why: "Only `parallelism` pods run at a time, and the others start when one has ended: ranks that wait for all the others wait forever.",
    fix: "Write the same number for parallelism and completions.",
    check: (launch) =>
      roots(launch).flatMap((root): readonly Found[] => {
        const specs = [
          ...(scalarOf(at(root, "kind")) === "Job" ? [at(root, "spec")] : []),
          ...itemsOf(at(root, "spec", "replicatedJobs")).map((each) => at(each, "template", "spec")),
        ];
        return specs.flatMap((spec): readonly Found[] => {
          const [parallelism, completions] = [at(spec, "parallelism"), at(spec, "completions")];
          const [atOnce, all] = [Number(scalarOf(parallelism) ?? 1), Number(scalarOf(completions))];
          if (completions === undefined || !(all > atOnce)) return [];
          // Jobs that work through a list of their own need not run together.
          const nodes = optionOf(itemsOf(at(spec, "template", "spec", "containers")), "nnodes");
          if (nodes === null || nodes.count <= atOnce) return [];
          return [
            {
              span: (parallelism ?? completions).span,
              message: `only ${atOnce} of ${all} pods run at a time, and ${nodes.count} wait for each other`,
              valid: [String(all)],
              ...nearby("all pods", completions.span),
            },
          ];
        });
      }),
    fires: { "job.yaml": indexed(2, 4) },
    silent: { "job.yaml": indexed(4, 4) },
  }),
  rule({
    name: "kubernetes-container-name",
    source: "training-operator v1: validation of PyTorchJob (PyTorchJobDefaultContainerName)",
    why: "The operator adds the rendezvous variables to the container called `pytorch`, and refuses a job whose pods have none.",
    fix: "Name the container that trains `pytorch`.",
    check: (launch) =>
      roots(launch).flatMap((root) =>
        trainingPods(root).flatMap(({ job: kind, containers }): readonly Found[] => {
          const names = containers.map((container) => at(container, "name"));
          const [first] = names;
          if (kind !== "PyTorchJob" || first === undefined || names.some((name) => scalarOf(name) === "pytorch"))
            return [];
          return [
            {
              span: first.span,
              message: `no container of this pod is called pytorch, only ${String(scalarOf(first))}`,
              valid: ["pytorch"],
            },
          ];
        }),
      ),
    fires: { "job.yaml": job(8, '"python", "train.py"').replaceAll("name: pytorch", "name: trainer") },
    silent: { "job.yaml": job(8, '"python", "train.py"') },
  }),
];
