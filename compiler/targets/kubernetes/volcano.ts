/** A Volcano Job: all its pods start together, and all start anew when one fails. https://volcano.sh/en/docs/vcjob/ */
import type { KubernetesObject } from "./object.ts";
import { labelsOf, objectName } from "./names.ts";
import { podTemplate, type PodWork } from "./pod.ts";
import { maxRetryOf } from "./restarts.ts";

const port = 23_456;

export function volcano(work: PodWork): readonly KubernetesObject[] {
  const { step, options } = work;
  const name = objectName(step.name);
  const restarts = options.retries > 0;
  const task = (role: "master" | "worker", replicas: number): object => ({
    name: role,
    replicas,
    ...(role === "master" ? { policies: [{ event: "TaskCompleted", action: "CompleteJob" }] } : {}),
    template: podTemplate(work, {
      container: "node",
      isHead: role === "master",
      restartPolicy: "Never",
      // Its plugin `env` numbers the pods of each task, `svc` gives each a name.
      variables: [
        { name: "CDR_RANK_IN", value: "VC_TASK_INDEX" },
        { name: "CDR_RANK_FROM", value: role === "master" ? "0" : "1" },
        { name: "CDR_HEAD", value: `${name}-master-0.${name}:${port}` },
      ],
      ports: [{ name: "rendezvous", containerPort: port }],
    }),
  });
  return [
    {
      apiVersion: "batch.volcano.sh/v1alpha1",
      kind: "Job",
      metadata: { name, namespace: options.namespace, labels: labelsOf(step.name) },
      spec: {
        schedulerName: "volcano",
        queue: options.queue ?? undefined,
        minAvailable: step.nodes,
        maxRetry: restarts ? maxRetryOf(options.retries) : undefined,
        priorityClassName: options.priority ?? undefined,
        policies: ["PodEvicted", "PodFailed"].map((event) => ({
          event,
          action: restarts ? "RestartJob" : "AbortJob",
        })),
        plugins: step.nodes === 1 ? undefined : { svc: ["--publish-not-ready-addresses"], env: [] },
        tasks: [task("master", 1), ...(step.nodes === 1 ? [] : [task("worker", step.nodes - 1)])],
      },
    },
  ];
}
