/** Claims, folders of the machine, NFS exports and folders of the pod, as stores. */
import { at, itemsOf, scalarOf, type Located } from "../../foreign/documents/located.ts";
import { identifier } from "../literals.ts";
import type { ImportedMount } from "../place.ts";
import { carried, type Carried } from "./carried.ts";
import type { Pod } from "./pods.ts";
import { bytesOf } from "./quantity.ts";

export function mountsOf({ spec, mounting }: Pod): readonly Carried<ImportedMount>[] {
  const volumes = itemsOf(at(spec, "volumes"));
  return itemsOf(at(mounting, "volumeMounts")).flatMap((mount, index): Carried<ImportedMount>[] => {
    const [name, path, folder] = [at(mount, "name"), at(mount, "mountPath"), at(mount, "subPath")];
    const volume = volumes.find((each) => scalarOf(at(each, "name")) === scalarOf(name));
    const where = scalarOf(path);
    const place = volume === undefined ? null : placeOf(volume, scalarOf(folder));
    // The memory there is no store.
    if (place === null || typeof where !== "string" || /^\/dev\/shm\/*$/.test(where)) return [];
    const readers = [at(mount, "readOnly"), place.readOnly];
    const isRead = readers.some((each) => scalarOf(each) === true);
    const identity = identifier(String(scalarOf(name)), "volume");
    const { size, from } = place;
    return [
      carried(
        {
          name: `${identity}_${index}`,
          at: place.at.replace(/^tmp:\/\/$/, `tmp://${identity}`),
          size,
          path: where,
          isRead,
        },
        ...[...from, name, path, folder, ...readers],
      ),
    ];
  });
}

interface VolumePlace {
  readonly at: string;
  readonly size: string | null;
  readonly readOnly?: Located | undefined;
  readonly from: readonly (Located | undefined)[];
}

function placeOf(volume: Located, folder: unknown): VolumePlace | null {
  const within = typeof folder === "string" ? `/${folder}` : "";
  const claim = at(volume, "persistentVolumeClaim", "claimName");
  if (typeof scalarOf(claim) === "string")
    return {
      at: `pvc://${String(scalarOf(claim))}${within}`,
      size: null,
      readOnly: at(volume, "persistentVolumeClaim", "readOnly"),
      from: [claim],
    };
  const host = at(volume, "hostPath", "path");
  if (typeof scalarOf(host) === "string")
    return { at: `file://${String(scalarOf(host))}${within}`, size: null, from: [host] };
  const [server, path] = [at(volume, "nfs", "server"), at(volume, "nfs", "path")];
  if (typeof scalarOf(server) === "string" && typeof scalarOf(path) === "string")
    return {
      at: `nfs://${String(scalarOf(server))}${String(scalarOf(path))}${within}`,
      size: null,
      readOnly: at(volume, "nfs", "readOnly"),
      from: [server, path],
    };
  const own = at(volume, "emptyDir");
  if (own === undefined || within !== "" || at(own, "medium") !== undefined) return null;
  const limit = at(own, "sizeLimit");
  const size = limit === undefined ? null : bytesOf(String(scalarOf(limit)));
  return { at: "tmp://", size, from: limit === undefined ? [own] : size === null ? [] : [limit] };
}
