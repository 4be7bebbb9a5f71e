import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { podMount, podStorage } from "../../diagnostics/pods.ts";
import type { KubernetesOptions, Mount, Pipeline, StageStep } from "../../pipeline.ts";
import { folderIn } from "./mounted.ts";
import { claimOf, outlives, sourceOf } from "./mounts.ts";
import { bundleFolder } from "./pod.ts";

export function checkMounts({ launch, steps }: Pipeline, { mounts }: KubernetesOptions): Diagnostic[] {
  const wrong = mounts.flatMap((mount, index) => {
    const why = wrongWith(mount, mounts.slice(0, index), launch.cluster.nodes);
    return why === null ? [] : [podMount(mount.span, { name: mount.name, why })];
  });
  const stages = wrong.length > 0 ? [] : steps.filter((step): step is StageStep => step.kind === "stage");
  return [
    ...wrong,
    ...stages
      // A relative one is in the working directory of the image, which may be in a mount.
      .filter(({ root }) => /^\/|:\/\//.test(root) && !isKept(folderIn(root, mounts), mounts))
      .map(({ name, root, span }) => podStorage(span, { stage: name, root, nodes: launch.cluster.nodes })),
  ];
}

function wrongWith(mount: Mount, before: readonly Mount[], nodes: number): string | null {
  const { at, path, access } = mount;
  if (path === null) return 'it does not say where it appears: `mount = "/data"`';
  if (!path.startsWith("/")) return `"${path}" is not a whole path`;
  if (path.includes(":")) return `Kubernetes takes no colon in a path, as in "${path}"`;
  if (path.split("/").includes("..")) return `"${path}" has a \`..\``;
  const folder = tidy(path);
  if (["", "/dev/shm", bundleFolder].includes(folder)) return `"${path}" is taken`;
  // A list that holds a store twice is told as that.
  const other = before.find((each) => each.at !== at && each.path !== null && tidy(each.path) === folder);
  if (other !== undefined) return `\`${other.name}\` is there already`;
  // Drivers of a cluster may mount an object store: that is no mistake, but nothing that is compiled yet.
  if (sourceOf(mount) === null && /^(?:file:|nfs:|(?![a-z][a-z0-9+.-]*:\/\/))/.test(at))
    return `"${at}" is no place for a volume, as \`pvc://claim\`, \`nfs://server/path\`, \`tmp://name\` and \`file:///path\` are`;
  const claim = claimOf(at);
  if (claim !== null && !/^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/.test(claim))
    return `"${claim}" is not the name of a claim: lower-case letters, digits, \`-\` and \`.\``;
  return access === "one" && nodes > 1 ? `\`access = one\` is for one node, and the launch has ${nodes}` : null;
}

const isKept = (root: string, mounts: readonly Mount[]): boolean =>
  mounts.some((mount) => mount.path !== null && outlives(mount) && isWithin(root, tidy(mount.path)));

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);

const tidy = (path: string): string => path.replaceAll(/\/+/g, "/").replace(/\/$/, "");
