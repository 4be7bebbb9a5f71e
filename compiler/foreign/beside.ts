import type { Source } from "../../dsl/source/source.ts";
import { joinedPath, readIn, sameFolder, type Folder } from "./shell/folder.ts";

/** What lies on the machine that checks, as far as rules look: names in folders, and stretches of files. Nothing is ever run. */
export interface Beside {
  /** A file's text, where a launch may name it: relative paths, from the file that names it. */
  readonly text: (path: string, from: Source) => Source | undefined;
  /** Names in a folder; `undefined` where there is none. */
  readonly names: (path: string, from: Source) => readonly string[] | undefined;
  readonly bytes: (path: string, from: Source, start: number, length: number) => Uint8Array | undefined;
}

export type Read = Beside["text"];

/** Where only files can be asked for, such as in an editor. */
export function besideOf(read: Read | Beside): Beside {
  return typeof read === "function" ? { text: read, names: () => undefined, bytes: () => undefined } : read;
}

/** The same files for programs that all run in one folder; without sight where they run in several. */
export function besideIn(beside: Beside, folders: readonly Folder[]): Beside {
  const [folder, ...others] = folders;
  if (folder === undefined) return beside;
  if (others.some((each) => !sameFolder(each, folder))) return besideOf(() => undefined);
  const { from, path: within } = folder;
  if (from === null) return beside;
  const { bytes } = beside;
  return {
    text: readIn(beside.text, folder),
    names: readIn(beside.names, folder),
    bytes: (path, _, start, length) => bytes(joinedPath(within, path), from, start, length),
  };
}

/** Is there a file or folder of this name, here or in a folder above the one that names it? `null` where nobody can look. */
export function existsBeside(beside: Beside, path: string, from: Source): boolean | null {
  return beside.names(".", from) === undefined ? null : foundBeside(beside, path, from) !== undefined;
}

/** The path of it from the folder that names it. */
export function foundBeside(beside: Beside, path: string, from: Source): string | undefined {
  const plain = path.replace(/^(?:\.\/)+/, "").replace(/(?<=.)\/+$/, "");
  const cut = plain.lastIndexOf("/");
  const folder = cut < 0 ? "." : plain.slice(0, Math.max(cut, 1));
  const above = plain.startsWith("/") ? [""] : ["", "../", "../../", "../../../"];
  const up = above.find((each) => beside.names(`${each}${folder}`, from)?.includes(plain.slice(cut + 1)) === true);
  return up === undefined ? undefined : `${up}${plain}`;
}
