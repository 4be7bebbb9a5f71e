/** Claims on storage, for stores whose size the file says; a cluster that has them already keeps them. */
import type { KubernetesOptions, Mount } from "../../pipeline.ts";
import { claimOf } from "./mounts.ts";
import type { KubernetesObject } from "./object.ts";
import { byteQuantity } from "./quantity.ts";

const modes = { one: "ReadWriteOnce", many: "ReadWriteMany", read: "ReadOnlyMany" } as const;

export function claimsOf({ mounts, namespace }: KubernetesOptions): readonly KubernetesObject[] {
  const claims = new Map(mounts.map((mount) => [claimOf(mount.at), mount] as const));
  return [...claims].flatMap(([name, mount]) =>
    name === null || mount.size === null ? [] : [claim(name, namespace, mount, mount.size)],
  );
}

function claim(name: string, namespace: string, mount: Mount, size: number): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name, namespace, labels: { "app.kubernetes.io/managed-by": "cdrc" } },
    spec: {
      accessModes: [modes[mount.access ?? "many"]],
      storageClassName: mount.class ?? undefined,
      resources: { requests: { storage: byteQuantity(size) } },
    },
  };
}
