/** Where a run was started, so that a copy of its directory is told from the directory itself, moved or not. */
import { realpathSync, statSync } from "node:fs";

export interface Whereabouts {
  readonly path: string;
  readonly inode: string;
}

export function whereabouts(directory: string): Whereabouts {
  return { path: realpathSync(directory), inode: String(statSync(directory, { bigint: true }).ino) };
}

/** Another place and another folder: what goes on in the first is none of the second's business. */
export function isCopy(directory: string, started: Whereabouts): boolean {
  const { path, inode } = whereabouts(directory);
  return path !== started.path && inode !== started.inode;
}
