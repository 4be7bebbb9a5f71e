/** Stores and folders as volumes of pods. */
import type { KubernetesOptions, Mount } from "../../pipeline.ts";
import { byteQuantity } from "./quantity.ts";

export interface Volume {
  readonly volume: Readonly<Record<string, unknown>>;
  readonly at: { readonly mountPath: string; readonly readOnly?: true };
}

/** What a scheme's place is as a source of a volume; `null` where pods cannot have it as a folder. */
export function sourceOf({ at, size, access }: Mount): Readonly<Record<string, unknown>> | null {
  const [, scheme = "file", rest = ""] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(.*)$/s.exec(at) ?? [];
  switch (scheme) {
    case "pvc":
      return { persistentVolumeClaim: { claimName: claimOf(at) } };
    case "tmp":
      return { emptyDir: size === null ? {} : { sizeLimit: byteQuantity(size) } };
    case "file":
      return rest.startsWith("/") ? { hostPath: { path: rest } } : null;
    case "nfs": {
      const [, server, path] = /^([^/]+)(\/.*)$/.exec(rest) ?? [];
      return server === undefined ? null : { nfs: { server, path, readOnly: access === "read" ? true : undefined } };
    }
    default:
      return null;
  }
}

/** The claim of `pvc://claim/folder`; `null` for other places. */
export function claimOf(at: string): string | null {
  return /^pvc:\/\/([^/]*)/.exec(at)?.[1] ?? null;
}

/** `pvc://claim/folder` is a folder of the claim's volume. */
const folderOf = (at: string): string | undefined => /^pvc:\/\/[^/]*\/(.+?)\/*$/.exec(at)?.[1];

export function volumesOf({ mounts }: Pick<KubernetesOptions, "mounts">): readonly Volume[] {
  return mounts.flatMap((mount, index): Volume[] => {
    const source = sourceOf(mount);
    if (source === null || mount.path === null) return [];
    return [
      {
        volume: { name: `mount-${index}`, ...source },
        at: {
          mountPath: mount.path,
          ...{ subPath: folderOf(mount.at) },
          ...(mount.access === "read" ? { readOnly: true } : {}),
        },
      },
    ];
  });
}

/** Whether what is written there is still there when the pod is gone. */
export const outlives = ({ at, access }: Mount): boolean => !at.startsWith("tmp://") && access !== "read";
