/** Names of a step's objects. */
import type { KubernetesOptions } from "../../pipeline.ts";

/** A step's name as an RFC 1123 label. */
export function objectName(step: string): string {
  return step
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
}

/** The longest that a controller puts behind the name of a job on so many nodes for a pod, whose name is a label too. */
export function longestSuffix(controller: KubernetesOptions["controller"], nodes: number): string {
  if (controller === "job") return nodes > 1 ? `-${nodes - 1}` : "";
  return nodes > 1 ? `-worker-${Math.max(0, nodes - 2)}` : "-master-0";
}

export const longestLabel = 63;

/** On each object and pod of a step; the service of an Indexed Job finds its pods by them. */
export function labelsOf(step: string): Readonly<Record<string, string>> {
  return { "app.kubernetes.io/managed-by": "cdrc", "app.kubernetes.io/instance": objectName(step) };
}
