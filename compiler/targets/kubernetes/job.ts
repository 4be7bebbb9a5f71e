/** A plain Job; on several nodes an Indexed Job, whose pods have stable names in a headless Service. */
import type { KubernetesObject } from "./object.ts";
import { labelsOf, objectName } from "./names.ts";
import { podTemplate, type PodWork } from "./pod.ts";
import { has } from "./releases.ts";
import { backoffLimitOf } from "./restarts.ts";

const port = 29_500;

export function job(work: PodWork): readonly KubernetesObject[] {
  const { step, options } = work;
  const name = objectName(step.name);
  const metadata = { name, namespace: options.namespace, labels: queued(labelsOf(step.name), options.queue) };
  const isGroup = step.nodes > 1;
  const template = podTemplate(work, {
    container: "node",
    isHead: step.nodes === 1,
    restartPolicy: "Never",
    variables: [
      { name: "CDR_RANK_IN", value: "JOB_COMPLETION_INDEX" },
      { name: "CDR_HEAD", value: `${name}-0.${name}:${port}` },
    ],
    ports: [{ name: "rendezvous", containerPort: port }],
  });
  const made: KubernetesObject = {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata,
    spec: {
      ...(isGroup ? { completionMode: "Indexed", completions: step.nodes, parallelism: step.nodes } : {}),
      backoffLimit: backoffLimitOf({ ...options, controller: "job" }, step.nodes),
      activeDeadlineSeconds: options.time === null ? undefined : Math.ceil(options.time),
      // A pod that is evicted for another, or with its node, has not failed.
      podFailurePolicy: has(options.version, "podFailurePolicy")
        ? { rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] }] }
        : undefined,
      template: isGroup ? inService(template, name) : template,
    },
  };
  return isGroup ? [service(metadata), made] : [made];
}

function service(metadata: KubernetesObject["metadata"]): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata,
    spec: {
      clusterIP: "None",
      // Pods meet before they are ready.
      publishNotReadyAddresses: true,
      selector: { "app.kubernetes.io/instance": metadata.name },
      ports: [{ name: "rendezvous", port }],
    },
  };
}

const inService = (template: object, subdomain: string): object => {
  const { spec, ...rest } = template as { readonly spec: object };
  return { ...rest, spec: { subdomain, ...spec } };
};

const queued = (labels: Readonly<Record<string, string>>, queue: string | null): Readonly<Record<string, string>> =>
  queue === null ? labels : { ...labels, "kueue.x-k8s.io/queue-name": queue };
