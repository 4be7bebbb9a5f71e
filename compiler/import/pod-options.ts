/** What a pod's template says, as options of `kubernetes(…)` and as stores. */
import { at, itemsOf, scalarOf, type Located } from "../foreign/documents/located.ts";
import { identifier, quoted } from "./literals.ts";
import type { ImportedMount } from "./place.ts";

const own: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);

export function optionsOf(root: Located, pod: Located | undefined, container: Located): readonly string[] {
  const asked = [at(container, "resources", "requests"), at(container, "resources", "limits")];
  const entries = asked.flatMap((group) => (group?.kind === "map" ? group.entries : []));
  const text = (name: string): string | null => {
    const value = scalarOf(entries.find(({ key }) => key === name)?.value);
    return value === undefined || value === null ? null : String(value);
  };
  const cpu = Number(text("cpu"));
  const memory = bytesOf(text("memory"));
  const shm = bytesOf(String(scalarOf(at(sharedMemory(pod), "emptyDir", "sizeLimit")) ?? ""));
  const gpu = entries.find(({ key }) => key.endsWith("/gpu"))?.key;
  const rdma = entries.find(({ key }) => !own.has(key) && /rdma|efa|hca|roce/i.test(key));
  const priority = scalarOf(at(pod, "priorityClassName"));
  const grace = scalarOf(at(pod, "terminationGracePeriodSeconds"));
  const time =
    scalarOf(at(root, "spec", "runPolicy", "activeDeadlineSeconds")) ??
    scalarOf(at(root, "spec", "activeDeadlineSeconds"));
  const selector = labelsIn(at(pod, "nodeSelector"));
  return [
    ...(Number.isInteger(cpu) && cpu > 0 ? [`cpu = ${cpu}`] : []),
    ...(memory === null ? [] : [`memory = ${memory}`]),
    ...(shm === null ? [] : [`shm = ${shm}`]),
    ...(gpu === undefined || gpu === "nvidia.com/gpu" ? [] : [`devices = ${quoted(gpu)}`]),
    ...(rdma === undefined ? [] : [`rdma = ${String(scalarOf(rdma.value))}`, `rdma_devices = ${quoted(rdma.key)}`]),
    ...(selector === null ? [] : [`selector = ${quoted(selector)}`]),
    ...(typeof priority === "string" ? [`priority = ${quoted(priority)}`] : []),
    ...(typeof time === "number" ? [`time = ${time} s`] : []),
    ...(typeof grace === "number" ? [`grace = ${grace} s`] : []),
  ];
}

const sharedMemory = (pod: Located | undefined): Located | undefined =>
  itemsOf(at(pod, "volumes")).find((volume) => scalarOf(at(volume, "emptyDir", "medium")) === "Memory");

function labelsIn(node: Located | undefined): string | null {
  if (node?.kind !== "map" || node.entries.length === 0) return null;
  return node.entries.map(({ key, value }) => `${key}=${String(scalarOf(value))}`).join(",");
}

/** `64Gi` as `64 GiB`; `null` for a form that the language has no unit for. */
function bytesOf(text: string | null): string | null {
  const [, count = "", unit = ""] = /^(\d+)(Ki|Mi|Gi|Ti|k|M|G|T)?$/.exec(text ?? "") ?? [];
  const known = unit === "k" ? "K" : unit;
  return count === "" ? null : `${count} ${known === "" ? "bytes" : `${known}B`}`;
}

/** Claims, folders of the machine and NFS exports; what else a pod mounts is its own. */
export function mountsOf(pod: Located | undefined, container: Located): readonly ImportedMount[] {
  const volumes = itemsOf(at(pod, "volumes"));
  return itemsOf(at(container, "volumeMounts")).flatMap((mount, index): ImportedMount[] => {
    const name = scalarOf(at(mount, "name"));
    const path = scalarOf(at(mount, "mountPath"));
    const volume = volumes.find((each) => scalarOf(at(each, "name")) === name);
    const place = volume === undefined ? null : placeOf(volume, scalarOf(at(mount, "subPath")));
    if (place === null || typeof path !== "string") return [];
    const isRead = scalarOf(at(mount, "readOnly")) === true;
    return [{ name: `${identifier(String(name), "volume")}_${index}`, at: place, path, isRead }];
  });
}

function placeOf(volume: Located, folder: unknown): string | null {
  const claim = scalarOf(at(volume, "persistentVolumeClaim", "claimName"));
  const within = typeof folder === "string" ? `/${folder}` : "";
  if (typeof claim === "string") return `pvc://${claim}${within}`;
  const host = scalarOf(at(volume, "hostPath", "path"));
  if (typeof host === "string") return `file://${host}${within}`;
  const [server, path] = [scalarOf(at(volume, "nfs", "server")), scalarOf(at(volume, "nfs", "path"))];
  return typeof server === "string" && typeof path === "string" ? `nfs://${server}${path}${within}` : null;
}
