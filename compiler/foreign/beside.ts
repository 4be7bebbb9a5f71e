import type { Source } from "../../dsl/source/source.ts";

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

/** Is there a file or folder of this name, here or in a folder above the one that names it? `null` where nobody can look. */
export function existsBeside(beside: Beside, path: string, from: Source): boolean | null {
  if (beside.names(".", from) === undefined) return null;
  const plain = path.replace(/^(?:\.\/)+/, "");
  const cut = plain.lastIndexOf("/");
  const folder = cut < 0 ? "." : plain.slice(0, Math.max(cut, 1));
  const above = plain.startsWith("/") ? [""] : ["", "../", "../../", "../../../"];
  return above.some((up) => beside.names(`${up}${folder}`, from)?.includes(plain.slice(cut + 1)) === true);
}
