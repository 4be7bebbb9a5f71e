/** Files that a ConfigMap holds, as the pods that mount it see them. */
import type { Source } from "../../../dsl/source/source.ts";
import { at, itemsOf, scalarOf } from "../documents/located.ts";
import type { Document, Run } from "../launch.ts";
import { joined, type Text } from "../shell/text.ts";
import { alignedPieces } from "./containers.ts";

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

function filesOf({ root, source }: Document): readonly MountedFile[] {
  return [root, ...itemsOf(at(root, "items"))].flatMap((each): readonly MountedFile[] => {
    const data = scalarOf(at(each, "kind")) === "ConfigMap" ? at(each, "data") : undefined;
    if (data?.kind !== "map") return [];
    return data.entries.flatMap(({ key, value }): readonly MountedFile[] => {
      const text = scalarOf(value);
      return typeof text === "string" && text.trim() !== ""
        ? [{ name: key, text: joined(alignedPieces(text, value.span, new Map())), source }]
        : [];
    });
  });
}
