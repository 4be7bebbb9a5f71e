/** The file system of this machine, for the language server. */
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import writeFileAtomic from "write-file-atomic";
import type { Files } from "../../dsl/lsp/files.ts";
import type { StandardLibrary } from "../../dsl/kind.ts";
import { stateHome } from "../../runtime/state/home.ts";

/** Folders that hold no files of the user, or far too many. */
const passedOver = new Set(["node_modules", ".git", "runs", "dist", "__pycache__"]);
const deepest = 12;
const most = 5000;

export function nodeFiles(std: StandardLibrary, version: string): Files {
  return {
    read: (path) => {
      try {
        return readFileSync(path, "utf8");
      } catch {
        return undefined;
      }
    },
    stamp: (path) => {
      const found = statSync(path, { throwIfNoEntry: false });
      return found?.isFile() === true ? `${found.mtimeMs} ${found.size} ${found.ino}` : undefined;
    },
    list: (folder) => [...sources(folder, 0)].slice(0, most),
    entries: (folder) => {
      try {
        return readdirSync(folder, { withFileTypes: true })
          .filter(({ name }) => !name.startsWith("."))
          .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
      } catch {
        return [];
      }
    },
    // Editors open files: what the library holds is written where they can find it, and nobody else can write.
    standardUri: (path) => {
      const text = std.read(path);
      if (text === undefined) return null;
      const place = join(stateHome(), "library", version, `${path}.cdr`);
      try {
        mkdirSync(dirname(place), { recursive: true });
        writeFileAtomic.sync(place, text);
        return pathToFileURL(place).href;
      } catch {
        return null;
      }
    },
  };
}

function* sources(folder: string, depth: number): Generator<string> {
  if (depth > deepest) return;
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return;
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!passedOver.has(entry.name) && !entry.name.startsWith(".")) yield* sources(path, depth + 1);
    } else if (entry.name.endsWith(".cdr")) yield path;
  }
}
