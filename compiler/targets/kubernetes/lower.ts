/** Lowering for Kubernetes: a manifest of each step, the bundle's files as ConfigMaps, and the storage that the file asks for. */
import type { Bundle, BundleFile } from "../../bundle/steps.ts";
import type { KubernetesOptions, LaunchSpec } from "../../pipeline.ts";
import { templateOf } from "../../templates.ts";
import { claimsOf } from "./claims.ts";
import { configMapsOf } from "./config-maps.ts";
import { job } from "./job.ts";
import { objectName } from "./names.ts";
import { yamlOf, type KubernetesObject } from "./object.ts";
import { nodeScript, type PodWork } from "./pod.ts";
import { pytorchJob } from "./pytorch-job.ts";
import { volcano } from "./volcano.ts";

const controllers = { pytorchjob: pytorchJob, job, volcano } as const;

export function lowerKubernetes(bundle: Bundle, launch: LaunchSpec): BundleFile[] {
  const { target: options } = launch;
  if (options.kind !== "kubernetes") return [];
  const script: BundleFile = {
    path: nodeScript,
    text: templateOf("kubernetes/node.sh")({}),
    executable: true,
  };
  const { objects, volume } = configMapsOf([...filesOfPods(bundle), script], options);
  const claims = claimsOf(options);
  return [
    script,
    { path: "kubernetes/bundle.yaml", text: yamlOf(objects) },
    ...(claims.length === 0 ? [] : [{ path: "kubernetes/claims.yaml", text: yamlOf(claims) }]),
    ...bundle.steps.map((step) => ({
      path: `kubernetes/${objectName(step.name)}.yaml`,
      text: yamlOf(objectsOf({ step, bundle, launch, options, files: volume }, options)),
    })),
  ];
}

/** What runs as one process on a node needs no ranks: a plain Job does, except where another scheduler has the nodes. */
function objectsOf(work: PodWork, { controller }: KubernetesOptions): readonly KubernetesObject[] {
  const isRanked = work.step.kind === "stage" || controller === "volcano";
  return controllers[isRanked ? controller : "job"](work);
}

/** What the programs read, in the order of their paths. */
export function filesOfPods({ files, steps }: Bundle): readonly BundleFile[] {
  const own = new Set(["steps.json", ...steps.flatMap((step) => [step.config, ...step.files])]);
  return files
    .filter(({ path }) => own.has(path) || path.startsWith("trainer/"))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
