/** Parts of a manifest that need no word in a file: ranks and nodes, and what every compiled pod has. */
import { at, itemsOf, scalarOf, type Located } from "../../foreign/documents/located.ts";
import type { Pod } from "./pods.ts";

export function impliedIn(root: Located, pod: Pod): readonly (Located | undefined)[] {
  const { roles, nodes, gpus, spec, isWhole } = pod;
  const trainer = at(root, "spec", "trainer");
  const counts = roles.flatMap(({ owner }) => [
    at(owner, "replicas"),
    ...["parallelism", "completions"].flatMap((name) => [at(owner, name), at(owner, "template", "spec", name)]),
  ]);
  const isNodes = (node: Located | undefined): boolean => scalarOf(node) === nodes;
  const isRanks = (node: Located | undefined): boolean =>
    ["auto", "gpu", String(gpus)].includes(String(scalarOf(node)));
  const overrides = ["podTemplateOverrides", "podSpecOverrides"].flatMap((name) => itemsOf(at(root, "spec", name)));
  return [
    ...counts,
    at(trainer, "numNodes"),
    ...[at(root, "spec", "minAvailable"), at(root, "spec", "runPolicy", "schedulingPolicy", "minAvailable")].filter(
      isNodes,
    ),
    ...[at(root, "spec", "nprocPerNode"), at(trainer, "numProcPerNode")].filter(isRanks),
    ...devicesOf(pod),
    ...(isWhole
      ? []
      : overrides.filter((each) => at(each, "spec") === spec || each === spec).map((each) => at(each, "targetJobs"))),
  ];
}

/** GPUs, and that the pod may stand on nodes that are kept for those that ask for such: by a taint that is called like them. */
function devicesOf({ container, spec }: Pod): readonly Located[] {
  const groups = ["resources", "resourcesPerNode"].flatMap((name) =>
    ["requests", "limits"].map((kind) => at(container, name, kind)),
  );
  const gpus = groups
    .flatMap((group) => (group?.kind === "map" ? group.entries : []))
    .filter(({ key }) => key.endsWith("/gpu"));
  const stands = itemsOf(at(spec, "tolerations")).filter(
    (each) =>
      gpus.some(({ key }) => key === scalarOf(at(each, "key"))) &&
      scalarOf(at(each, "operator")) === "Exists" &&
      scalarOf(at(each, "effect")) === "NoSchedule",
  );
  return [...gpus.map(({ value }) => value), ...stands];
}
