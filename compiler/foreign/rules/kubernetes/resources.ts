/** Devices that a container asks for: what the API server takes of them. */
import { documentsOf } from "../../launch.ts";
import { at, entryOf, itemsOf, scalarOf, type Entry, type Located } from "../../documents/located.ts";
import { nearby, rule, type ForeignRule, type Found } from "../rule.ts";

const pod = (resources: string): string =>
  `apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers:\n    - name: a\n      image: i\n      resources:\n${resources}`;
const asked = (kind: string, count: string): string => `        ${kind}:\n          nvidia.com/gpu: ${count}\n`;

/** Sections that say what a container or a node of a job asks for, wherever they stand. */
function resourcesIn(node: Located): readonly Located[] {
  if (node.kind === "list") return itemsOf(node).flatMap(resourcesIn);
  if (node.kind !== "map") return [];
  return node.entries.flatMap(({ key, value }) =>
    key === "resources" || key === "resourcesPerNode" ? [value] : resourcesIn(value),
  );
}

/** Devices have a domain before their name. Kubernetes' own resources have none, or its own. */
const isDevice = (name: string): boolean => name.includes("/") && !/(?:^|\.)kubernetes\.io\//.test(name);

const devicesOf = (node: Located | undefined): readonly Entry[] =>
  node?.kind === "map" ? node.entries.filter(({ key }) => isDevice(key)) : [];

function refused(resources: Located): readonly Found[] {
  const [requests, limits] = [at(resources, "requests"), at(resources, "limits")];
  const parts = [...devicesOf(requests), ...devicesOf(limits)].flatMap(({ key, value }): readonly Found[] => {
    const text = String(scalarOf(value) ?? "");
    const isPart = /^\d*\.\d+$/.test(text) ? !Number.isInteger(Number(text)) : /^\d+m$/.test(text);
    return isPart ? [{ span: value.span, message: `${key} ${text}: devices are counted in whole numbers` }] : [];
  });
  const unequal = devicesOf(requests).flatMap(({ key, keySpan, value }): readonly Found[] => {
    const limit = entryOf(limits, key);
    if (limit === undefined)
      return [{ span: keySpan, message: `${key} is requested without a limit`, valid: ["limits"] }];
    const [here, there] = [String(scalarOf(value)), String(scalarOf(limit.value))];
    // A template's own words are unknown.
    if (here === there || [here, there].some((text) => !/^\d+$/.test(text))) return [];
    return [
      {
        span: value.span,
        message: `${key} is requested ${here} times, and its limit is ${there}`,
        valid: [there],
        ...nearby("the limit", limit.value.span),
      },
    ];
  });
  return [...parts, ...unequal];
}

export const kubernetesResourceRules: readonly ForeignRule[] = [
  rule({
    name: "kubernetes-device-limit",
    source:
      "Kubernetes pkg/apis/core/validation: ValidateContainerResourceRequirements (`Limit must be set for non overcommitable resources`, `must be equal to … limit`)",
    why: "A device such as nvidia.com/gpu cannot be shared: it needs a limit, and a request must equal it. For a job, the controller makes the pods: the job is accepted but never starts one.",
    fix: "Write the number under limits alone.",
    check: (launch) =>
      documentsOf(launch, "kubernetes").flatMap(({ root }) => resourcesIn(root).flatMap((each) => refused(each))),
    fires: { "pod.yaml": pod(asked("requests", "1") + asked("limits", "3")) },
    silent: { "pod.yaml": pod(asked("requests", "3") + asked("limits", "3")) },
  }),
];
