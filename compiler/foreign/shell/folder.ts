/** The folder that a shell stands in: files that it names are asked for from there. */
import type { Source } from "../../../dsl/source/source.ts";
import type { ShellWord } from "./state.ts";
import { plain, type Piece } from "./text.ts";

export interface Folder {
  /** The script that went there; `null` where none did, and files are looked for beside the script that names them. */
  readonly from: Source | null;
  readonly path: string;
}

/** Where a shell stands, where it was before, and what `pushd` keeps. */
export interface Folders {
  readonly now: Folder;
  readonly last: Folder | null;
  readonly kept: readonly Folder[];
}

export const atStart: Folders = { now: { from: null, path: "" }, last: null, kept: [] };

/** A folder that nobody knows; no file is found under such a path. */
const somewhere = "$PWD";

export const lost = ({ now: { from } }: Folders, here: Source): Folders => ({
  now: { from: from ?? here, path: somewhere },
  last: null,
  kept: [],
});

export const sameFolder = (a: Folder, b: Folder): boolean => a.from === b.from && a.path === b.path;

type ReadFrom<T> = (path: string, from: Source) => T;

/** What reads files, for a shell that stands in this folder. */
export function readIn<T>(read: ReadFrom<T>, { from, path: folder }: Folder): ReadFrom<T> {
  return from === null ? read : (path) => read(joinedPath(folder, path), from);
}

/** The file of a word that may begin with the folder of the script itself, read from where the shell stands. */
export function fileOf<T>(word: ShellWord, folders: Folders, read: ReadFrom<T>): T | null {
  const [path, { now }] = folderOf(word, folders);
  return path === null ? null : readIn(read, now)(path, word.span.source);
}

/** After `cd`, `pushd` and `popd` with these words. */
export function gone(name: string, given: readonly ShellWord[], before: Folders, here: Source): Folders {
  const [named, folders] = given.length === 1 && given[0] !== undefined ? folderOf(given[0], before) : [null, before];
  const words = given.length === 1 ? [named] : given.map(({ text }) => text);
  const { now, kept } = folders;
  const { last } = before;
  const rest = words.filter((word) => !/^-(?:[LPen@]+|-)$/.test(word ?? ""));
  const [target, ...others] = rest;
  const isPlain = target !== undefined && target !== null && others.length === 0 && !/^[+~]|^-./.test(target);
  const top = kept[0];
  if (name === "popd")
    return rest.length > 0 || top === undefined
      ? lost(folders, here)
      : { now: top, last: before.now, kept: kept.slice(1) };
  if (name === "pushd" && words.includes("-n")) return lost(folders, here);
  if (name === "pushd" && rest.length === 0)
    return top === undefined
      ? lost(folders, here)
      : { now: top, last: before.now, kept: [before.now, ...kept.slice(1)] };
  const next = name === "pushd" ? [before.now, ...kept] : kept;
  if (!isPlain) return { ...lost(folders, here), last: before.now, kept: next };
  if (target === "-")
    return last === null ? { ...lost(folders, here), kept: next } : { now: last, last: before.now, kept: next };
  const path = joinedPath(now.path, target);
  const isStart = path === "" && (now.from ?? here) === here;
  return { now: { from: isStart ? null : (now.from ?? here), path }, last: before.now, kept: next };
}

/** The folder of a word of `cd` as far as the script says it: `$PWD/…`, and the folder of the script itself. */
function folderOf({ text, pieces }: ShellWord, folders: Folders): readonly [string | null, Folders] {
  const [first, ...rest] = pieces;
  if (text !== null || first === undefined || first.text !== null) return [text, folders];
  const { source, start, end } = first.span;
  const written = source.text.slice(start, end);
  const behind = plain(rest);
  if (behind === null || !/^(?:\/|$)/.test(behind)) return [null, folders];
  if (isHere.test(written)) return [`.${behind}`, folders];
  return isStart(written) ? [`.${behind}`, { ...folders, now: atStart.now }] : [null, folders];
}

/** A path, with `spelt` for what is not known of it, and the folder that it counts from. */
export function placeOf(
  pieces: readonly Piece[],
  folders: Folders,
  spelt: (piece: Piece) => string,
): { readonly path: string; readonly folder: string } {
  const [first, ...rest] = pieces;
  if (first?.text !== null) return { path: pieces.map(spelt).join(""), folder: folders.now.path };
  const { source, start, end } = first.span;
  const written = source.text.slice(start, end);
  const behind = rest.map(spelt).join("");
  if (!behind.startsWith("/")) return { path: spelt(first) + behind, folder: folders.now.path };
  if (isHere.test(written)) return { path: `.${behind}`, folder: folders.now.path };
  if (isStart(written)) return { path: `.${behind}`, folder: "" };
  return { path: spelt(first) + behind, folder: "" };
}

const isHere = /^(?:\$\{?PWD\}?|\$\(\s*pwd(?:\s+-[LP])?\s*\)|`\s*pwd\s*`)$/;

/** Where the script was started, or where it lies. */
const isStart = (written: string): boolean => /^\$\{?SLURM_SUBMIT_DIR\}?$/.test(written) || isScripts(written);

const dirname = String.raw`\$\(\s*dirname\s+(?:--\s+)?"?\$(?:0|\{0\}|BASH_SOURCE|\{BASH_SOURCE(?:\[0\])?\})"?\s*\)`;
const entered = String.raw`\$\(\s*cd\s+(?:--\s+)?"?${dirname}"?\s*(?:&?>\s*/dev/null\s*(?:2>&1\s*)?)?(?:&&|;)\s*pwd(?:\s+-[LP])?\s*\)`;
const scripts = new RegExp(`^(?:${dirname}|${entered})$`);

/** `$(dirname "$0")`, and the same made absolute: `$(cd "$(dirname "$0")" && pwd)`. */
const isScripts = (written: string): boolean => scripts.test(written);

export function joinedPath(folder: string, path: string): string {
  if (folder === "" || /^[/~$]/.test(path)) return path;
  const parts = folder.split("/").filter((part, at) => part !== "." && (part !== "" || at === 0));
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    const above = parts.at(-1);
    if (part !== ".." || above === undefined || above === "..") parts.push(part);
    else if (above !== "" && above !== somewhere) parts.pop();
  }
  return parts.join("/");
}
