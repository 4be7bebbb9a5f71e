import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The nearest folder above this file whose `package.json` is named `cdr`. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    if (isPackage(folder)) return folder;
    const parent = dirname(folder);
    if (parent === folder) throw new Error("the package that this program belongs to was not found");
    folder = parent;
  }
}

function isPackage(folder: string): boolean {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return false;
  const parsed: unknown = JSON.parse(readFileSync(file, "utf8"));
  return typeof parsed === "object" && parsed !== null && "name" in parsed && parsed.name === "cdr";
}
