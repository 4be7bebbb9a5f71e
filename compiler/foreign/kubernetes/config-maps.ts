/** Files that a ConfigMap holds, as the pods that mount it see them. */
import type { Source } from "../../../dsl/source/source.ts";
import { at, itemsOf, scalarOf, type Located } from "../documents/located.ts";
import type { Document, Run } from "../launch.ts";
import type { Value } from "../shell/state.ts";
import { joined, type Text } from "../shell/text.ts";
import type { WrittenFiles } from "../shell/written.ts";
import { alignedPieces } from "./aligned.ts";

export interface MountedFile {
  /** The key, which is the name of the file wherever it is mounted. */
  readonly name: string;
  readonly text: Text;
  readonly source: Source;
}

/** Those that a command names, and those that such a file names. A ConfigMap holds files of other programs too. */
export function mountedFiles(documents: readonly Document[], runs: readonly Run[]): readonly MountedFile[] {
  const all = documents.filter(({ kind }) => kind === "kubernetes").flatMap(filesOf);
  if (all.length === 0) return [];
  const words = new Set(runs.flatMap(({ command }) => command.words.map(({ text }) => text?.split(/[/=]/).at(-1))));
  const named = all.filter(({ name }) => words.has(name));
  const others = all.filter((file) => !named.includes(file));
  return [...named, ...others.filter(({ name }) => named.some(({ text }) => text.text.includes(name)))];
}

function filesOf(document: Document): readonly MountedFile[] {
  return heldIn(document).map(({ key, value }) => ({ name: key, text: joined(value), source: document.source }));
}

interface Held {
  /** The name of its ConfigMap. */
  readonly map: string;
  readonly key: string;
  readonly value: Value;
}

function heldIn({ root }: Document): readonly Held[] {
  return [root, ...itemsOf(at(root, "items"))].flatMap((each): readonly Held[] => {
    const data = scalarOf(at(each, "kind")) === "ConfigMap" ? at(each, "data") : undefined;
    if (data?.kind !== "map") return [];
    const map = String(scalarOf(at(each, "metadata", "name")) ?? "");
    return data.entries.flatMap(({ key, value }): readonly Held[] => {
      const text = scalarOf(value);
      return typeof text === "string" && text.trim() !== ""
        ? [{ map, key, value: alignedPieces(text, value.span, new Map()) }]
        : [];
    });
  });
}

/** Files of ConfigMaps at the paths where a container has them; where nothing says which it mounts, by their keys. */
export function filesInContainer(
  documents: readonly Document[],
  container: Located,
  template: Located | null,
): WrittenFiles {
  const all = documents.filter(({ kind }) => kind === "kubernetes").flatMap(heldIn);
  const mounts = itemsOf(at(container, "volumeMounts"));
  const volumes = itemsOf(template === null ? undefined : at(template, "spec", "volumes"));
  const placed =
    volumes.length === 0
      ? all.map(({ key, value }) => [key, value] as const)
      : mounts.flatMap((mount) => {
          const volume = volumes.find((each) => scalarOf(at(each, "name")) === scalarOf(at(mount, "name")));
          return volume === undefined ? [] : mapsOf(volume).flatMap((map) => mountedAt(mount, map, all));
        });
  return new Map(placed.map(([path, value]) => [path, { name: path, value, use: { isStarted: false } }]));
}

/** A volume is one ConfigMap, or is put together from several sources. */
function mapsOf(volume: Located): readonly Located[] {
  return [volume, ...itemsOf(at(volume, "projected", "sources"))].flatMap((each) => at(each, "configMap") ?? []);
}

function mountedAt(mount: Located, map: Located, all: readonly Held[]): readonly (readonly [string, Value])[] {
  const folder = String(scalarOf(at(mount, "mountPath")) ?? "").replace(/\/+$/, "");
  const part = scalarOf(at(mount, "subPath"));
  const renamed = new Map(
    itemsOf(at(map, "items")).map((item) => [scalarOf(at(item, "key")), scalarOf(at(item, "path"))]),
  );
  return all
    .filter((each) => each.map === scalarOf(at(map, "name")))
    .flatMap(({ key, value }): readonly (readonly [string, Value])[] => {
      const path = renamed.size === 0 ? key : renamed.get(key);
      if (typeof path !== "string" || (typeof part === "string" && part !== path)) return [];
      return [[typeof part === "string" ? folder : `${folder}/${path}`, value]];
    });
}
