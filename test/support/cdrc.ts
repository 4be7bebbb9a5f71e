/** `cdrc` from its sources, as a process of its own. */
import { type SpawnSyncOptions, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "../..");
const entry = join(root, "cli/cdrc.ts");

export interface Result {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export function cdrc(
  words: readonly string[],
  options: Pick<SpawnSyncOptions, "cwd" | "input" | "env"> = {},
): Result {
  const { status, stdout, stderr } = spawnSync(process.execPath, [entry, ...words], {
    cwd: root,
    ...options,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", ...options.env },
  });
  return { code: status, out: stdout, err: stderr };
}

/** A folder for PATH in which `cdrc` is a program. */
export function programFolder(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "cdrc");
  writeFileSync(path, `#!/bin/sh\nexec "${process.execPath}" "${entry}" "$@"\n`);
  chmodSync(path, 0o755);
  return folder;
}
