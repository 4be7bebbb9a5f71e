/** The elastic policy of a PyTorchJob against its pods. */
import type { Span } from "../../../../dsl/source/source.ts";
import { documentsOf, type Launch } from "../../launch.ts";
import { at, entryOf, numberAt, scalarOf, type Located } from "../../documents/located.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

interface Elastic {
  readonly root: Located;
  readonly policy: Located;
  readonly keySpan: Span;
}

const elastic = (launch: Launch): readonly Elastic[] =>
  documentsOf(launch, "kubernetes").flatMap(({ root }) => {
    const spec = at(root, "spec");
    const entry = spec?.kind === "map" ? entryOf(spec, "elasticPolicy") : undefined;
    return scalarOf(at(root, "kind")) === "PyTorchJob" && entry !== undefined
      ? [{ root, policy: entry.value, keySpan: entry.keySpan }]
      : [];
  });

const role = (name: string, replicas: number): string =>
  `    ${name}:\n      replicas: ${replicas}\n      restartPolicy: OnFailure\n      template:\n        spec:\n          containers:\n            - name: pytorch\n              image: i\n              command: [torchrun, train.py]\n`;
const job = (policy: string, roles: string): string =>
  `apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata:\n  name: a\nspec:\n  elasticPolicy:\n    rdzvBackend: c10d\n${policy}  pytorchReplicaSpecs:\n${roles}`;

export const kubernetesElasticRules: readonly ForeignRule[] = [
  rule({
    name: "pytorchjob-elastic-processes",
    source: "training-operator pkg/apis/kubeflow.org/v1/pytorch_types.go: ElasticPolicy.NProcPerNode (*int32)",
    why: "elasticPolicy.nProcPerNode must be a number for the API server, although torchrun takes more: auto, cpu, gpu and a number in quotes are refused when the job is created.",
    fix: 'Write a number, or write nprocPerNode: "gpu" outside elasticPolicy instead.',
    check: (launch) =>
      elastic(launch).flatMap(({ policy }): readonly Found[] => {
        const node = at(policy, "nProcPerNode");
        const value = scalarOf(node);
        if (node === undefined || value === null || value === undefined || typeof value === "number") return [];
        return [{ span: node.span, message: `nProcPerNode is a whole number here, not ${String(value)}` }];
      }),
    fires: { "job.yaml": job("    nProcPerNode: gpu\n", role("Worker", 2)) },
    silent: { "job.yaml": job("    nProcPerNode: 8\n", role("Worker", 2)) },
  }),
  rule({
    name: "pytorchjob-elastic-pods",
    severity: "warning",
    source:
      "training-operator pkg/apis/kubeflow.org/v1/pytorch_defaults.go: setElasticPolicy; pkg/controller.v1/pytorch/elastic.go: EnvNNodes",
    why: "With elasticPolicy torchrun expects minReplicas:maxReplicas nodes, by default the number of workers: the Master's pod is not counted. Pods beyond that number find the rendezvous full and wait.",
    fix: "Remove the Master (elastic jobs have only workers), or set minReplicas and maxReplicas to include all pods.",
    check: (launch) =>
      elastic(launch).flatMap(({ root, policy, keySpan }): readonly Found[] => {
        const specs = at(root, "spec", "pytorchReplicaSpecs");
        const master = at(specs, "Master");
        const workers = at(specs, "Worker", "replicas");
        if (master === undefined || at(specs, "Worker") === undefined) return [];
        const [first, others] = [at(master, "replicas"), workers].map((node) =>
          node === undefined ? 1 : numberAt(node),
        );
        const said = at(policy, "maxReplicas") ?? at(policy, "minReplicas");
        const counted = said === undefined ? others : numberAt(said);
        if (first == null || others == null || counted == null || first < 1 || first + others <= counted) return [];
        return [
          {
            span: said?.span ?? keySpan,
            message: `torchrun expects ${counted} nodes, but ${first + others} pods start: the Master is one more`,
            ...nearby("the Master", master.span),
          },
        ];
      }),
    fires: { "job.yaml": job("", role("Master", 1) + role("Worker", 2)) },
    silent: { "job.yaml": job("", role("Worker", 2)) },
  }),
];
