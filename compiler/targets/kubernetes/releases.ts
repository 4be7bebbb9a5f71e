/** Fields that are newer than some clusters: https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/ */
import type { KubernetesOptions } from "../../pipeline.ts";

/** The first minor release of Kubernetes 1 that has each on by default. */
export const since = { immutable: 19, indexed: 22, podFailurePolicy: 26 } as const;

/** Without a release, those that are still maintained count, and they have all of them. */
export function has(version: KubernetesOptions["version"], field: keyof typeof since): boolean {
  return version === null || version[0] > 1 || (version[0] === 1 && version[1] >= since[field]);
}
