import { rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { BundleFile } from "./steps.ts";
import { makeFolder } from "../make-folder.ts";

/** Writes a folder with these files beside its place and returns where: renamed, it is there complete or not at all. */
export function writeBeside(place: string, files: readonly BundleFile[]): string {
  const folder = join(dirname(place), `.${basename(place)}-${process.pid}`);
  try {
    for (const file of files) {
      const path = join(folder, file.path);
      makeFolder(dirname(path));
      writeFileSync(path, file.text, { mode: file.executable === true ? 0o755 : 0o644 });
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return folder;
}
