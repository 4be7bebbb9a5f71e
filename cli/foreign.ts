/** Files of other tools for `check` and `import`: loaded only where one is given. */
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, normalize } from "node:path";
import type { Beside } from "../compiler/foreign/beside.ts";
import { checkForeign, type Checked } from "../compiler/foreign/check.ts";
import type { Supplied } from "../compiler/foreign/launch.ts";
import type { Source } from "../dsl/source/source.ts";
import type { Misuse } from "./front.ts";

export interface Flags {
  readonly world?: number;
  readonly gpusPerNode?: number;
  readonly gpu?: string;
}

/** No file of a launch comes near; what is larger is not read at all. */
const largest = 8_000_000;

export function checkForeignFiles(
  paths: readonly string[],
  flags: Flags,
): (Checked & { readonly paths: readonly string[] }) | Misuse {
  const sources = sourcesOf(paths);
  if ("misuse" in sources) return sources;
  const also = new Set<string>();
  const checked = checkForeign(
    sources.sources,
    suppliedBy(flags),
    diskBeside((path) => also.add(path)),
  );
  return { ...checked, paths: [...paths, ...also] };
}

/** Texts of the files that were named. */
export function sourcesOf(paths: readonly string[]): { readonly sources: readonly Source[] } | Misuse {
  const sources: Source[] = [];
  for (const path of new Set(paths)) {
    const read = sourceOf(path);
    if (typeof read === "string") return { misuse: `cannot read ${path}: ${read}` };
    sources.push(read);
  }
  return { sources };
}

export function suppliedBy({ world, gpusPerNode, gpu }: Flags): Supplied {
  return { world: world ?? null, gpusPerNode: gpusPerNode ?? null, gpu: gpu ?? null };
}

/** The files of this machine; `read` is told of each whose text was taken. */
export function diskBeside(read: (path: string) => void): Beside {
  return {
    text: (path, from) => {
      const near = normalize(join(dirname(from.path), path));
      const found = /^[/~]|\$/.test(path) ? "elsewhere" : sourceOf(near);
      if (typeof found === "string") return undefined;
      read(near);
      return found;
    },
    names,
    bytes,
  };
}

/** Where a path may lead: from the file that names it, or from here. */
function placesOf(path: string, from: Source): readonly string[] {
  if (path.includes("$") || path.includes("://")) return [];
  if (path.startsWith("~/")) return [join(homedir(), path.slice(2))];
  return isAbsolute(path) ? [path] : [...new Set([normalize(join(dirname(from.path), path)), normalize(path)])];
}

const names: Beside["names"] = (path, from) => {
  const found = placesOf(path, from).flatMap((place) => {
    try {
      return [readdirSync(place)];
    } catch {
      return [];
    }
  });
  return found.length === 0 ? undefined : found.flat();
};

const bytes: Beside["bytes"] = (path, from, start, length) => {
  for (const place of placesOf(path, from)) {
    try {
      if (!statSync(place).isFile()) continue;
      const file = openSync(place, "r");
      try {
        const read = Buffer.alloc(length);
        return read.subarray(0, readSync(file, read, 0, length, start));
      } finally {
        closeSync(file);
      }
    } catch {
      continue;
    }
  }
  return undefined;
};

/** A file's text, or the reason why there is none. */
function sourceOf(path: string): Source | string {
  try {
    const { size } = statSync(path);
    if (size > largest) return `it has ${Math.round(size / 1e6)} MB, and no launch is described in so much`;
    return { path, text: readFileSync(path, "utf8") };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT"
      ? "there is no such file"
      : code === "EISDIR"
        ? "it is a folder"
        : (code ?? "unknown reason");
  }
}
