import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Makes a folder and those around it, and returns the first that it made. Node's own recursive `mkdir` never ends where a folder
 * that is there says of each new one that it is not, as `/proc` does.
 */
export function makeFolder(path: string): string | undefined {
  const missing: string[] = [];
  let at = resolve(path);
  while (!existsSync(at) && dirname(at) !== at) {
    missing.unshift(at);
    at = dirname(at);
  }
  // A file in its place is told as Node tells it.
  if (missing.length === 0 && !statSync(at).isDirectory()) mkdirSync(at);
  for (const folder of missing) {
    try {
      mkdirSync(folder);
    } catch (error) {
      // Somebody else made it meanwhile.
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST" && statSync(folder).isDirectory()))
        throw error;
    }
  }
  return missing[0];
}
