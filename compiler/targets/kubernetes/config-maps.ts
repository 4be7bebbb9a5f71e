/** A bundle's files as ConfigMaps, named by what they hold: bundles of different runs do not meet. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { BundleFile } from "../../bundle/steps.ts";
import type { KubernetesOptions } from "../../pipeline.ts";
import type { KubernetesObject } from "./object.ts";
import { has } from "./releases.ts";

/** What the API server takes as the data of one ConfigMap. */
export const largestFile = 2 ** 20;
/** `kubectl apply` keeps a copy of an object in an annotation of 256 KiB at most; metadata needs some of it. */
const largestApplied = 240 * 2 ** 10;

export interface ConfigMaps {
  readonly objects: readonly KubernetesObject[];
  /** The volume that has all of them in one folder, each under its key: the script of a pod lays them out. */
  readonly volume: Readonly<Record<string, unknown>>;
}

export function configMapsOf(files: readonly BundleFile[], { namespace, version }: KubernetesOptions): ConfigMaps {
  const content = JSON.stringify(files.map(({ path, text }) => [path, text]));
  const digest = bytesToHex(sha256(utf8ToBytes(content))).slice(0, 8);
  const maps = packed(files).map((held, index) => ({ name: `cdr-${digest}-${index}`, held }));
  return {
    objects: maps.map(({ name, held }) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace, labels: { "app.kubernetes.io/managed-by": "cdrc" } },
      ...(has(version, "immutable") ? { immutable: true } : {}),
      data: Object.fromEntries(held.map(({ path, text }) => [keyOf(path), text])),
    })),
    volume: {
      projected: {
        sources: maps.map(({ name }) => ({ configMap: { name } })),
      },
    },
  };
}

/** A key has no slashes. */
export const keyOf = (path: string): string => path.replaceAll("/", "..");

function packed(files: readonly BundleFile[]): readonly (readonly BundleFile[])[] {
  const maps: BundleFile[][] = [];
  let room = 0;
  for (const file of files) {
    const bytes = utf8ToBytes(JSON.stringify([file.path, file.text])).length;
    if (bytes > room || maps.length === 0) {
      maps.push([]);
      room = largestApplied;
    }
    maps.at(-1)?.push(file);
    room -= bytes;
  }
  return maps;
}
