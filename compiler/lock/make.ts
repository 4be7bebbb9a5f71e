/** A lock of what a program reads, and what has changed since one was made. */
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import type { Program } from "../../dsl/eval/program.ts";
import { editionOf } from "../../dsl/symbols/edition.ts";
import { lockChanged, lockUnreadable } from "../diagnostics/lock.ts";
import type { Digest, Lock } from "./lock.ts";
import { parseLock } from "./lock.ts";
import { type Read, readsOf } from "./reads.ts";

/** How the world outside is looked at. */
export interface Outside {
  readonly hash: (text: string) => string;
  /** Of a local path or glob below the folder of the file; `like` is what was found before, so that large files are not read for nothing. */
  readonly digest: (pattern: string, like: Digest | null) => Digest | null;
  /** Files of the modules that plugins name, and their digests. */
  readonly plugins: () => Readonly<Record<string, string>>;
}

const isLocal = (path: string): boolean => !/^[a-z][a-z0-9+]*:\/\//i.test(path);

export function makeLock(program: Program, outside: Outside, before: Lock | null = null): Lock {
  const reads = readsOf(program);
  const root = folderOf(program.root.path);
  const modules = [...program.modules.values()].filter((m) => m !== program.root);
  return {
    lock: 1,
    edition: editionOf(program.root.file),
    imports: Object.fromEntries(modules.map((m) => [below(m.path, root), outside.hash(m.file.source.text)] as const)),
    paths: Object.fromEntries(
      reads
        .filter((r) => !r.isImage && isLocal(r.path))
        .map((r) => [r.path, outside.digest(r.path, before?.paths[r.path] ?? null)] as const),
    ),
    hub: Object.fromEntries(
      reads.filter((r) => r.path.startsWith("hf://")).map((r) => [r.path, r.revision] as const),
    ),
    images: Object.fromEntries(reads.filter((r) => r.isImage).map((r) => [r.path, r.revision] as const)),
    plugins: outside.plugins(),
  };
}

const folderOf = (path: string): string => (path.includes("/") ? path.slice(0, path.lastIndexOf("/") + 1) : "");
const below = (path: string, folder: string): string =>
  folder !== "" && path.startsWith(folder) ? path.slice(folder.length) : path;

/** One warning for each thing that is no longer what was locked. */
export function lockChanges(program: Program, text: string, outside: Outside): Diagnostic[] {
  const start = { source: program.root.file.source, start: 0, end: 0 };
  const lock = parseLock(text);
  if (lock === null) return [lockUnreadable(start, {})];
  const now = makeLock(program, outside, lock);
  const reads = readsOf(program);
  const changed = (what: string, was: string | null | undefined, is: string | null | undefined): Diagnostic[] =>
    was === is ? [] : [lockChanged(spanOf(what, reads, program) ?? start, { what, how: howOf(was, is) })];
  const parts = [
    [lock.imports, now.imports],
    [shaOf(lock.paths), shaOf(now.paths)],
    [lock.hub, now.hub],
    [lock.images, now.images],
    [lock.plugins, now.plugins],
  ] as const;
  const edition = changed("edition", String(lock.edition), String(now.edition));
  return [
    ...edition,
    ...parts.flatMap(([was, is]) =>
      [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((key) => changed(key, was[key], is[key])),
    ),
  ];
}

const shaOf = (paths: Lock["paths"]): Record<string, string | null> =>
  Object.fromEntries(Object.entries(paths).map(([path, digest]) => [path, digest?.sha256 ?? null]));

function howOf(was: string | null | undefined, is: string | null | undefined): string {
  if (was === undefined) return "is not locked";
  if (is === undefined) return "is no longer read";
  if (is === null) return "no longer exists";
  return was === null ? "did not exist when the file was locked" : "has changed";
}

function spanOf(what: string, reads: readonly Read[], program: Program): Diagnostic["span"] | null {
  const read = reads.find((r) => r.path === what)?.span;
  if (read !== undefined) return read;
  const imported = program.root.file.statements.find(
    (s) => s.kind === "import" && what.endsWith(s.from.parts.join("").replace(/^\.\//, "")),
  );
  return imported?.kind === "import" ? imported.from.span : null;
}
