/** Fields of a pod without which the API server makes none, and what Kubeflow's operators want of their own. */
import { documentsOf } from "../../launch.ts";
import { at, entryOf, itemsOf, numberAt, scalarOf, type Located } from "../../documents/located.ts";
import { podsOf } from "../../kubernetes/pods.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const job = (role: string, container: string, more = ""): string =>
  `apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata:\n  name: a\nspec:\n${more}  pytorchReplicaSpecs:\n    ${role}:\n      replicas: 1\n      restartPolicy: OnFailure\n      template:\n        metadata:\n          annotations:\n            sidecar.istio.io/inject: "false"\n        spec:\n          containers:\n            - name: pytorch\n${container}              command: [python3, train.py]\n`;
const image = "              image: i\n";
const runtime = (replicas: number): string =>
  `apiVersion: trainer.kubeflow.org/v1alpha1\nkind: ClusterTrainingRuntime\nmetadata:\n  name: torch\nspec:\n  mlPolicy:\n    torch: {}\n  template:\n    spec:\n      replicatedJobs:\n        - name: node\n          replicas: ${replicas}\n          template:\n            metadata:\n              labels:\n                trainer.kubeflow.org/trainjob-ancestor-step: trainer\n            spec:\n              template:\n                spec:\n                  containers:\n                    - name: node\n                      image: i\n`;

/** What items of a list must say. */
const wanted: Readonly<Record<string, readonly string[]>> = {
  containers: ["name", "image"],
  initContainers: ["name", "image"],
  volumeMounts: ["name", "mountPath"],
  env: ["name"],
  ports: ["containerPort"],
};

function missingIn(owner: Located, list: string): readonly Found[] {
  return itemsOf(at(owner, list)).flatMap((item): readonly Found[] => {
    const inner = list === "containers" || list === "initContainers" ? ["volumeMounts", "env", "ports"] : [];
    const first = item.kind === "map" ? item.entries[0] : undefined;
    const absent =
      first === undefined ? [] : (wanted[list] ?? []).filter((name) => entryOf(item, name) === undefined);
    return [
      ...absent.map((name) => ({
        span: first?.keySpan ?? item.span,
        message: `an item of ${list} needs ${name}`,
        valid: [name],
      })),
      ...inner.flatMap((name) => missingIn(item, name)),
    ];
  });
}

const jobRoles = ["Master", "Worker"];

/** The steps of a runtime that the Trainer fills in itself. */
const steps = new Set(["trainer", "model-initializer", "dataset-initializer"]);

export const kubernetesRequiredRules: readonly ForeignRule[] = [
  rule({
    name: "kubernetes-required",
    source: "Kubernetes pkg/apis/core/validation: ValidatePodSpec (`Required value`)",
    why: "A pod without one of these fields is refused. In a job the controller creates the pods: the job is accepted, but never starts one.",
    fix: "Add the field.",
    check: (launch) =>
      documentsOf(launch, "kubernetes").flatMap(({ root }) =>
        podsOf(root).flatMap(({ template }) => {
          const pod = template === null ? undefined : at(template, "spec");
          return pod === undefined ? [] : ["initContainers", "containers"].flatMap((list) => missingIn(pod, list));
        }),
      ),
    fires: { "job.yaml": job("Master", "") },
    silent: { "job.yaml": job("Master", image) },
  }),
  rule({
    name: "pytorchjob-elastic-workers",
    source:
      "training-operator pkg/webhooks/pytorch/pytorchjob_webhook.go: validateSpec; pytorch_defaults.go: setElasticPolicy",
    why: "An elastic job counts its workers and meets at the first of them. Without the role Worker it is refused, and operators before 1.9 crash on it.",
    fix: "Use the role Worker, or remove elasticPolicy.",
    check: (launch) =>
      documentsOf(launch, "kubernetes").flatMap(({ root }): readonly Found[] => {
        const policy = entryOf(at(root, "spec"), "elasticPolicy");
        const roles = at(root, "spec", "pytorchReplicaSpecs");
        if (scalarOf(at(root, "kind")) !== "PyTorchJob" || policy === undefined || roles?.kind !== "map") return [];
        const worker = roles.entries.find(({ key }) => key.toLowerCase() === "worker");
        const count = worker === undefined ? 0 : (numberAt(at(worker.value, "replicas")) ?? 1);
        if (count > 0) return [];
        return [
          {
            span: policy.keySpan,
            message: "an elastic policy needs the role Worker, with at least one replica",
            ...nearby("the roles", roles.entries[0]?.keySpan),
          },
        ];
      }),
    fires: { "job.yaml": job("Master", image, "  elasticPolicy:\n    rdzvBackend: c10d\n") },
    silent: { "job.yaml": job("Worker", image, "  elasticPolicy:\n    rdzvBackend: c10d\n") },
  }),
  rule({
    name: "pytorchjob-role",
    source:
      "training-operator pkg/webhooks/pytorch/pytorchjob_webhook.go: validatePyTorchReplicaSpecs; pytorch_defaults.go: setPyTorchTypeNamesToCamelCase",
    why: "A PyTorchJob has the roles Master and Worker. Operators before 1.8 also accepted them in lower case; newer ones refuse the job when it is created.",
    fix: "Write Master and Worker.",
    check: (launch) =>
      documentsOf(launch, "kubernetes").flatMap(({ root }): readonly Found[] => {
        const roles = at(root, "spec", "pytorchReplicaSpecs");
        if (scalarOf(at(root, "kind")) !== "PyTorchJob" || roles?.kind !== "map") return [];
        return roles.entries.flatMap(({ key, keySpan }): readonly Found[] => {
          const meant = jobRoles.find((each) => each.toLowerCase() === key.toLowerCase());
          if (meant === key) return [];
          return meant === undefined
            ? [{ span: keySpan, message: `a PyTorchJob has no role ${key}`, valid: jobRoles }]
            : [{ span: keySpan, severity: "warning", message: `the role is spelled ${meant}`, valid: [meant] }];
        });
      }),
    fires: { "job.yaml": job("Launcher", image) },
    silent: { "job.yaml": job("Master", image) },
  }),
  rule({
    name: "training-runtime-replicas",
    source: "kubeflow/trainer pkg/webhooks/trainingruntime_webhook.go: validateReplicatedJobs",
    why: "The Trainer sets the number of nodes through the job's parallelism, and each step that it fills in is a single job: a runtime with more replicas is refused.",
    fix: "Write replicas: 1; mlPolicy.numNodes sets how many nodes train.",
    check: (launch) =>
      documentsOf(launch, "kubernetes").flatMap(({ root }) => {
        if (!/^(?:Cluster)?TrainingRuntime$/.test(String(scalarOf(at(root, "kind")) ?? ""))) return [];
        return itemsOf(at(root, "spec", "template", "spec", "replicatedJobs")).flatMap((each): readonly Found[] => {
          const labels = at(each, "template", "metadata", "labels");
          const step = entryOf(labels, "trainer.kubeflow.org/trainjob-ancestor-step");
          const replicas = at(each, "replicas");
          const count = numberAt(replicas);
          if (step === undefined || replicas === undefined || count === null || count === 1) return [];
          if (!steps.has(String(scalarOf(step.value)))) return [];
          return [
            {
              span: replicas.span,
              message: `replicas ${count}: the step ${String(scalarOf(step.value))} must be a single job`,
              valid: ["1"],
              ...nearby("the step", step.value.span),
            },
          ];
        });
      }),
    fires: { "runtime.yaml": runtime(2) },
    silent: { "runtime.yaml": runtime(1) },
  }),
];
