/** Taints that a training's pods may stand on. */
import type { KubernetesOptions } from "../../pipeline.ts";

/** Of machines that may be reclaimed, by cloud: GKE, AKS. EKS taints none. */
const spot = [
  { key: "cloud.google.com/gke-spot", operator: "Equal", value: "true", effect: "NoSchedule" },
  { key: "kubernetes.azure.com/scalesetpriority", operator: "Equal", value: "spot", effect: "NoSchedule" },
];

export const spotTaints: ReadonlySet<string> = new Set(spot.map(({ key }) => key));

/** Clouds keep nodes with devices for pods that ask for them, by a taint that is called like the resource. */
export function tolerationsOf(options: KubernetesOptions, hasDevices: boolean, isHead: boolean): readonly object[] {
  const mayBeReclaimed = options.spot === "all" || (options.spot === "workers" && !isHead);
  return [
    ...(hasDevices ? [{ key: options.devices, operator: "Exists", effect: "NoSchedule" }] : []),
    ...(mayBeReclaimed ? spot : []),
  ];
}
