/** The runs this user started: one small pointer file each. What a run is stands in its directory alone. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import writeFileAtomic from "write-file-atomic";
import { z } from "zod";
import { stateHome } from "./home.ts";
import { makeFolder } from "../../compiler/make-folder.ts";

const pointer = z.object({
  id: z.string(),
  step: z.string(),
  directory: z.string(),
  /** The folder of the file it came from. */
  project: z.string(),
  created: z.number(),
});

export type Pointer = Readonly<z.infer<typeof pointer>>;

export async function register(entry: Pointer, home: string = stateHome()): Promise<void> {
  makeFolder(join(home, "runs"));
  await writeFileAtomic(placeOf(entry, home), `${JSON.stringify(entry)}\n`);
}

export function forget(entry: Pick<Pointer, "id" | "directory">, home: string = stateHome()): void {
  rmSync(placeOf(entry, home), { force: true });
}

/** Two projects that ask the same question have the same id in two directories. */
function placeOf({ id, directory }: Pick<Pointer, "id" | "directory">, home: string): string {
  return join(home, "runs", `${id}.${createHash("sha256").update(directory).digest("hex").slice(0, 8)}.json`);
}

/** Newest first. A pointer that cannot be read or whose directory is gone is passed over. */
export function pointers(home: string = stateHome()): Pointer[] {
  const folder = join(home, "runs");
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => readPointer(join(folder, name)))
    .filter((entry) => existsSync(join(entry.directory, "run.json")))
    .sort((a, b) => b.created - a.created);
}

function readPointer(path: string): Pointer[] {
  try {
    const parsed = pointer.safeParse(JSON.parse(readFileSync(path, "utf8")));
    return parsed.success ? [parsed.data] : [];
  } catch {
    return [];
  }
}
