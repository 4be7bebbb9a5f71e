/** The Python programs as files of a bundle, so that it runs where no `cdrc` is. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../package-root.ts";
import type { BundleFile } from "./steps.ts";

/** `trainer/provision.sh`, its lock files and `trainer/cdr_trainer/**`, sorted by path. */
export function trainerFiles(): BundleFile[] {
  const root = packageRoot();
  const own = ["provision.sh", "requirements.lock", "requirements-uv.lock"].map((name) => `trainer/${name}`);
  return [...own, ...sourcesUnder(root, "trainer/cdr_trainer")]
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8"), executable: path.endsWith(".sh") }));
}

function sourcesUnder(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === "__pycache__" ? [] : sourcesUnder(root, path);
    return entry.name.endsWith(".py") ? [path] : [];
  });
}
