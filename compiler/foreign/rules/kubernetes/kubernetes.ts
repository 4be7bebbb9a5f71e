/** What manifests of training jobs leave to chance. */
import { documentsOf, type Launch } from "../../launch.ts";
import { at, entryOf, itemsOf, scalarOf, type Located } from "../../documents/located.ts";
import { gpusOfPod, podsOf, type Pods } from "../../kubernetes/pods.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const jobs = (launch: Launch): readonly (Pods & { readonly template: Located })[] =>
  documentsOf(launch, "kubernetes")
    .flatMap(({ root }) => podsOf(root))
    .flatMap((pods) => (pods.template === null ? [] : [{ ...pods, template: pods.template }]));

const manifest = (pod: string, worker = 2): string =>
  `apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata:\n  name: a\nspec:\n  pytorchReplicaSpecs:\n    Worker:\n      replicas: ${worker}\n      restartPolicy: OnFailure\n      template:\n${pod}`;
const sidecar = '        metadata:\n          annotations:\n            sidecar.istio.io/inject: "false"\n';
const container = "          containers:\n            - name: pytorch\n              image: i\n";
const plain = `        spec:\n${container}`;

/** Does the manifest speak of a mesh, or put its job into a namespace of its own, as Kubeflow's profiles are? */
function mayHaveMesh({ documents }: Launch, { span }: Located): boolean {
  return documents.some(({ source, root }) => {
    const namespace = scalarOf(at(root, "metadata", "namespace"));
    const own = typeof namespace === "string" && !["default", "kubeflow"].includes(namespace);
    return source === span.source && (own || /istio|linkerd|envoy/i.test(source.text));
  });
}

export const kubernetesRules: readonly ForeignRule[] = [
  rule({
    name: "kubernetes-host-network",
    source: "Kubernetes: pod.spec.dnsPolicy; training-operator: init container of PyTorchJob",
    why: "A pod on the host's network resolves names as the host does, which does not know the services of the cluster: the workers wait for the master's name forever.",
    fix: "Add dnsPolicy: ClusterFirstWithHostNet, which hostNetwork needs.",
    check: (launch) =>
      jobs(launch).flatMap(({ template }) => {
        const host = entryOf(at(template, "spec"), "hostNetwork");
        const policy = at(template, "spec", "dnsPolicy");
        if (host === undefined || scalarOf(host.value) !== true || scalarOf(policy) === "ClusterFirstWithHostNet")
          return [];
        return [
          {
            span: policy?.span ?? host.keySpan,
            message:
              "with hostNetwork the pod cannot resolve the cluster's names unless dnsPolicy is ClusterFirstWithHostNet",
            valid: ["ClusterFirstWithHostNet"],
          },
        ];
      }),
    fires: { "job.yaml": manifest(`${sidecar}        spec:\n          hostNetwork: true\n${container}`) },
    silent: {
      "job.yaml": manifest(
        `${sidecar}        spec:\n          hostNetwork: true\n          dnsPolicy: ClusterFirstWithHostNet\n${container}`,
      ),
    },
  }),
  rule({
    name: "kubernetes-sidecar",
    severity: "warning",
    source: "Istio: sidecar.istio.io/inject; Kubeflow profiles inject by default",
    why:
      "If a service mesh injects its proxy into the pods, as it does by default in Kubeflow's profile namespaces, only declared ports get through: the rendezvous works, but NCCL or gloo, on ports " +
      "of their own, hang.",
    fix: 'Annotate the pod template: sidecar.istio.io/inject: "false".',
    check: (launch) =>
      jobs(launch).flatMap(({ job, template, count, owner }): readonly Found[] => {
        if (!mayHaveMesh(launch, template)) return [];
        const notes = at(template, "metadata", "annotations");
        const labels = at(template, "metadata", "labels");
        const told = entryOf(notes, "sidecar.istio.io/inject") ?? entryOf(labels, "sidecar.istio.io/inject");
        const value = told === undefined ? null : scalarOf(told.value);
        if (value === "false" || !["PyTorchJob", "MPIJob", "TrainJob"].includes(job) || count === 0) return [];
        if (told !== undefined && value === false)
          return [
            {
              span: told.value.span,
              message: 'an annotation must be text: write "false"',
              valid: ['"false"'],
              severity: "error" as const,
            },
          ];
        return [
          {
            span: told?.value.span ?? entryOf(owner, "template")?.keySpan ?? template.span,
            message: "a service mesh may inject its proxy into these pods, and collectives then hang",
            // Nothing says that there is one where nobody asks for its proxy.
            ...(told === undefined ? { severity: "info" as const } : {}),
          },
        ];
      }),
    fires: { "job.yaml": manifest(plain).replace("name: a", "name: a\n  namespace: alice") },
    silent: { "job.yaml": manifest(plain) },
  }),
  rule({
    name: "kubernetes-restart",
    severity: "warning",
    source: "training-operator: restartPolicy of a replica",
    why: "Workers that start before the master can be reached fail once, and with `restartPolicy: Never` that ends the job.",
    fix: "Write restartPolicy: OnFailure for the workers.",
    check: (launch) =>
      jobs(launch).flatMap(({ job, owner, template, count }) => {
        const told = entryOf(owner, "restartPolicy") ?? entryOf(at(template, "spec"), "restartPolicy");
        if (told === undefined || scalarOf(told.value) !== "Never" || job !== "PyTorchJob" || count === 0) return [];
        if (itemsOf(at(template, "spec", "initContainers")).length > 0) return [];
        return [
          {
            span: told.value.span,
            message: "a worker that starts before the master fails, which ends the job",
            valid: ["OnFailure", "ExitCode"],
          },
        ];
      }),
    fires: { "job.yaml": manifest(`${sidecar}${plain}`).replace("OnFailure", "Never") },
    silent: { "job.yaml": manifest(`${sidecar}${plain}`) },
  }),
  rule({
    name: "kubernetes-masters",
    source: "training-operator: webhook of PyTorchJob and XGBoostJob",
    why: "Rank 0 and the address where all ranks meet belong to a single master. The operator's webhook refuses a job with several.",
    fix: "Write replicas: 1 for the Master, and make the other pods Workers.",
    check: (launch) =>
      jobs(launch).flatMap(({ job, role, count, countSpan }) =>
        !/^(?:PyTorch|XGBoost)Job$/.test(job) ||
        role !== "Master" ||
        count === null ||
        count <= 1 ||
        countSpan === null
          ? []
          : [{ span: countSpan, message: `a ${job} has one Master, not ${count}`, valid: ["1"] }],
      ),
    fires: { "job.yaml": manifest(plain).replace("Worker", "Master") },
    silent: { "job.yaml": manifest(plain, 1).replace("Worker", "Master") },
  }),
  rule({
    name: "kubernetes-init-image",
    severity: "info",
    source: "training-operator: config.PyTorchInitContainerImage (alpine from docker.io)",
    why: "The operator gives each worker an init container that waits for the master, from an image on docker.io. If the cluster uses a registry of its own, docker.io may not be reachable, and workers stay in `Init`.",
    fix: "If nodes cannot reach docker.io, start the operator with --pytorch-init-container-image=IMAGE from your registry.",
    check: (launch) =>
      jobs(launch).flatMap(({ job, role, template, count }) => {
        const image = itemsOf(at(template, "spec", "containers"))
          .map((each) => at(each, "image"))
          .find((node) => /^[\w-]+(?:\.[\w-]+)*(?::\d+|\.[\w-]+)\//.test(String(scalarOf(node) ?? "")));
        const host = String(scalarOf(image)).split("/")[0] ?? "";
        if (job !== "PyTorchJob" || role !== "Worker" || count === 0 || image === undefined) return [];
        if (/(?:docker\.io|ghcr\.io|nvcr\.io|quay\.io|gcr\.io)$/.test(host)) return [];
        return [
          {
            span: image.span,
            message: `images come from ${host}, but the operator's init container comes from docker.io: whether the nodes can reach it is unknown`,
          },
        ];
      }),
    fires: { "job.yaml": manifest(`${sidecar}${plain}`).replace("image: i", "image: registry.local:5000/train:1") },
    silent: { "job.yaml": manifest(`${sidecar}${plain}`) },
  }),
  rule({
    name: "kubernetes-shared-memory",
    severity: "warning",
    source: "Kubernetes: a container's /dev/shm has 64 MB; emptyDir with medium Memory",
    why: "NCCL and the workers of a data loader share memory in /dev/shm, which is 64 MB by default; when it is full they fail with `Bus error`.",
    fix: "Mount an emptyDir with medium: Memory at /dev/shm.",
    check: (launch) =>
      jobs(launch).flatMap((pods) => {
        const { template } = pods;
        const gpus = gpusOfPod(pods);
        if (gpus === null || !(gpus.count > 1) || scalarOf(at(template, "spec", "hostIPC")) === true) return [];
        const mounts = itemsOf(at(template, "spec", "containers")).flatMap((each) =>
          itemsOf(at(each, "volumeMounts")),
        );
        if (mounts.some((mount) => scalarOf(at(mount, "mountPath")) === "/dev/shm")) return [];
        return [{ span: gpus.span, message: `${gpus.count} GPUs share a /dev/shm of 64 MB` }];
      }),
    fires: {
      "job.yaml": manifest(
        `${sidecar}${plain}              resources:\n                limits:\n                  nvidia.com/gpu: 8\n`,
      ),
    },
    silent: {
      "job.yaml": manifest(
        `${sidecar}${plain}              resources:\n                limits:\n                  nvidia.com/gpu: 1\n`,
      ),
    },
  }),
  rule({
    name: "kubernetes-processes",
    source: "training-operator: nprocPerNode; TrainJob: numProcPerNode",
    why: "Every process of a pod takes one of its GPUs; with more processes than GPUs the last ones fail on `invalid device ordinal`.",
    fix: "Set nprocPerNode (numProcPerNode) to the GPUs of the pod, or request the same number with nvidia.com/gpu.",
    check: (launch) =>
      documentsOf(launch, "kubernetes").flatMap(({ root }) => {
        const node = at(root, "spec", "nprocPerNode") ?? at(root, "spec", "trainer", "numProcPerNode");
        const count = Number(scalarOf(node));
        if (node === undefined || !Number.isInteger(count)) return [];
        return podsOf(root).flatMap((pods): Found[] => {
          const gpus = gpusOfPod(pods);
          if (gpus === null || count <= gpus.count) return [];
          return [
            {
              span: node.span,
              message: `${count} processes in a pod with ${gpus.count} GPU${gpus.count === 1 ? "" : "s"}`,
              valid: [String(gpus.count)],
              ...nearby("its GPUs", gpus.span),
            },
          ];
        });
      }),
    fires: {
      "job.yaml": `${manifest(`${sidecar}${plain}              resources:\n                limits:\n                  nvidia.com/gpu: 1\n`)}  nprocPerNode: "8"\n`,
    },
    silent: {
      "job.yaml": `${manifest(`${sidecar}${plain}              resources:\n                limits:\n                  nvidia.com/gpu: 1\n`)}  nprocPerNode: "1"\n`,
    },
  }),
];
