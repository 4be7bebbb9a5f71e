/** Reported failures: the files of each in a folder, of which those at the top are given and the others lie beside. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { toldOf } from "../../compiler/foreign/rules/example.ts";
import { positionAt } from "../../dsl/source/source.ts";

export interface Expected {
  /** The diagnostic's code, or how it begins. */
  readonly code: string;
  /** `file:line` */
  readonly at: string;
  readonly world?: number;
  readonly gpu?: string;
}

/** Every diagnostic of a folder as `code file:line`, unknowns of the launch as a whole left out. */
export function toldAt(folder: string, { world, gpu }: Pick<Expected, "world" | "gpu">): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
    .map((path) => [relative(folder, path), readFileSync(path, path.endsWith(".idx") ? "latin1" : "utf8")] as const);
  return toldOf(Object.fromEntries(files), { world: world ?? null, gpu: gpu ?? null })
    .filter(({ code }) => code !== "cdr/foreign-unknown")
    .map(({ code, span }) => `${code} ${span.source.path}:${positionAt(span.source, span.start).line + 1}`);
}
