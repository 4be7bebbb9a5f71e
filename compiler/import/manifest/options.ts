/** What a pod's template says, as options of `kubernetes(…)`. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { importLeftOut } from "../../diagnostics/import.ts";
import { at, itemsOf, scalarOf, type Located } from "../../foreign/documents/located.ts";
import { spotTaints } from "../../targets/kubernetes/tolerations.ts";
import { quoted } from "../literals.ts";
import { carried, option, type Carried } from "./carried.ts";
import { bytesOf } from "./quantity.ts";
import type { Pod } from "./pods.ts";

const isOwn = (key: string): boolean => /^(?:cpu|memory|ephemeral-storage|hugepages-.*)$/.test(key);

export function optionsOf(root: Located, pod: Pod): readonly Carried<string>[] {
  const { spec, container } = pod;
  const { requests, limits } = resourcesOf(container);
  const deadline =
    at(root, "spec", "runPolicy", "activeDeadlineSeconds") ?? at(root, "spec", "activeDeadlineSeconds");
  return [
    ...option(at(requests, "cpu") ?? at(limits, "cpu"), (cpu) => (/^[1-9]\d*$/.test(cpu) ? `cpu = ${cpu}` : null)),
    ...memoryOf(requests, limits),
    ...(pod.isWhole ? sharedMemoryOf(spec, container) : []),
    ...devicesOf(requests, limits),
    ...rdmaOf(requests, limits, at(container, "securityContext", "capabilities", "add")),
    ...spotOf(at(spec, "tolerations")),
    ...selectorOf(at(spec, "nodeSelector")),
    ...option(at(spec, "priorityClassName"), (name) => `priority = ${quoted(name)}`),
    ...option(deadline, seconds("time")),
    ...option(at(root, "spec", "runPolicy", "schedulingPolicy", "scheduleTimeoutSeconds"), seconds("ready")),
    ...graceOf(pod),
  ];
}

function resourcesOf(container: Located): {
  readonly requests: Located | undefined;
  readonly limits: Located | undefined;
} {
  const resources = at(container, "resources") ?? at(container, "resourcesPerNode");
  return { requests: at(resources, "requests"), limits: at(resources, "limits") };
}

/** Memory that the manifest sets no bound of: the written file does. */
export function boundedMemory({ spec, container }: Pod): readonly Diagnostic[] {
  const { requests, limits } = resourcesOf(container);
  const asked = at(limits, "memory") === undefined ? at(requests, "memory") : undefined;
  const shared = itemsOf(at(spec, "volumes"))
    .map((volume) => at(volume, "emptyDir"))
    .find((own) => scalarOf(at(own, "medium")) === "Memory" && at(own, "sizeLimit") === undefined);
  return [
    ...(asked === undefined
      ? []
      : [
          importLeftOut(asked.span, {
            what: "that pods may have more memory than they ask for",
            why: "`memory` is what a pod asks for and what it may have",
          }),
        ]),
    ...(shared === undefined
      ? []
      : [
          importLeftOut(shared.span, {
            what: "shared memory without a limit",
            why: `\`shm\` is one: ${usualShared}`,
          }),
        ]),
  ];
}

const seconds =
  (name: string) =>
  (value: string): string | null =>
    /^\d+$/.test(value) ? `${name} = ${value} s` : null;

/** The language's one figure is what a pod asks for and what it may have. */
function memoryOf(requests: Located | undefined, limits: Located | undefined): readonly Carried<string>[] {
  const [asked, most] = [at(requests, "memory"), at(limits, "memory")];
  const isOne = scalarOf(asked) === scalarOf(most);
  const found = option(asked ?? most, (text) => {
    const bytes = bytesOf(text);
    return bytes === null ? null : `memory = ${bytes}`;
  });
  return isOne && most !== undefined ? found.map(({ value, from }) => carried(value, ...from, most)) : found;
}

/** Where the manifest sets no bound. */
const usualShared = "16 GiB";

/** Without a volume of memory there, a container has the 64 MB that its runtime gives it. */
function sharedMemoryOf(spec: Located | undefined, container: Located): readonly Carried<string>[] {
  const mount = itemsOf(at(container, "volumeMounts")).find((each) => scalarOf(at(each, "mountPath")) === "/dev/shm");
  const volume = itemsOf(at(spec, "volumes")).find(
    (each) => scalarOf(at(each, "name")) === scalarOf(at(mount, "name")),
  );
  const medium = at(volume, "emptyDir", "medium");
  if (mount === undefined || scalarOf(medium) !== "Memory") return [carried("shm = 0 GiB")];
  const limit = at(volume, "emptyDir", "sizeLimit");
  const size = limit === undefined ? usualShared : bytesOf(String(scalarOf(limit)));
  return size === null ? [] : [carried(`shm = ${size}`, medium, limit, at(mount, "mountPath"), at(mount, "name"))];
}

function devicesOf(requests: Located | undefined, limits: Located | undefined): readonly Carried<string>[] {
  const [gpu] = [requests, limits].flatMap((group) => entriesOf(group).filter(({ key }) => key.endsWith("/gpu")));
  return gpu === undefined || gpu.key === "nvidia.com/gpu" ? [] : [carried(`devices = ${quoted(gpu.key)}`)];
}

function rdmaOf(
  requests: Located | undefined,
  limits: Located | undefined,
  capabilities: Located | undefined,
): readonly Carried<string>[] {
  const all = [requests, limits].flatMap(entriesOf);
  const rdma = all.find(({ key }) => !isOwn(key) && /rdma|efa|hca|roce/i.test(key));
  if (rdma === undefined) return [];
  const same = all.filter(({ key, value }) => key === rdma.key && scalarOf(value) === scalarOf(rdma.value));
  // Who registers memory with such a device may lock it: the pod is made with it.
  const locks = itemsOf(capabilities).filter((each) => scalarOf(each) === "IPC_LOCK");
  const from = [...same.map(({ value }) => value), ...locks];
  return [carried(`rdma = ${String(scalarOf(rdma.value))}`, ...from), carried(`rdma_devices = ${quoted(rdma.key)}`)];
}

function spotOf(tolerations: Located | undefined): readonly Carried<string>[] {
  const found = itemsOf(tolerations).filter((each) => spotTaints.has(String(scalarOf(at(each, "key")))));
  return found.length === 0 ? [] : [carried("spot = all", ...found)];
}

function selectorOf(node: Located | undefined): readonly Carried<string>[] {
  const labels = entriesOf(node).map(({ key, value }) => `${key}=${String(scalarOf(value))}`);
  return labels.length === 0 ? [] : [carried(`selector = ${quoted(labels.join(","))}`, node)];
}

/** Kubernetes' own 30 s are shorter than the language's default. */
function graceOf({ spec, isWhole }: Pod): readonly Carried<string>[] {
  const said = at(spec, "terminationGracePeriodSeconds");
  return said === undefined && isWhole ? [carried("grace = 30 s")] : option(said, seconds("grace"));
}

const entriesOf = (node: Located | undefined) => (node?.kind === "map" ? node.entries : []);
