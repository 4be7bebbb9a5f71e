/** Kubeflow's PyTorchJob: https://github.com/kubeflow/training-operator, `kubeflow.org/v1`. */
import type { KubernetesObject } from "./object.ts";
import { labelsOf, objectName } from "./names.ts";
import { podTemplate, type PodWork } from "./pod.ts";
import { backoffLimitOf } from "./restarts.ts";

/** The operator's own, by which it finds the port where rank 0 listens. */
const port = { name: "pytorchjob-port", containerPort: 23_456 };

export function pytorchJob(work: PodWork): readonly KubernetesObject[] {
  const { step, options } = work;
  const replica = (isHead: boolean, replicas: number): object => ({
    replicas,
    restartPolicy: options.retries === 0 ? "Never" : "OnFailure",
    // The operator sets RANK of each pod, MASTER_ADDR and MASTER_PORT.
    template: podTemplate(work, {
      container: "pytorch",
      isHead,
      variables: [{ name: "CDR_RANK_IN", value: "RANK" }],
      ports: [port],
    }),
  });
  const labels = labelsOf(step.name);
  return [
    {
      apiVersion: "kubeflow.org/v1",
      kind: "PyTorchJob",
      metadata: {
        name: objectName(step.name),
        namespace: options.namespace,
        labels: options.queue === null ? labels : { ...labels, "kueue.x-k8s.io/queue-name": options.queue },
      },
      spec: {
        nprocPerNode: String(step.processes),
        runPolicy: {
          cleanPodPolicy: "None",
          backoffLimit: backoffLimitOf(options, step.nodes),
          activeDeadlineSeconds: options.time === null ? undefined : Math.ceil(options.time),
          schedulingPolicy:
            step.nodes === 1
              ? undefined
              : { minAvailable: step.nodes, scheduleTimeoutSeconds: Math.ceil(options.ready) },
        },
        pytorchReplicaSpecs: {
          Master: replica(true, 1),
          Worker: step.nodes === 1 ? undefined : replica(false, step.nodes - 1),
        },
      },
    },
  ];
}
