/** What `.gitignore` files leave out: those of a folder, of what lies in it, and of the repository around it. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import ignore, { type Ignore } from "ignore";

/** Patterns, and the folder that they speak of. */
export interface Patterns {
  readonly folder: string;
  readonly rules: Ignore;
}

/** Patterns that hold in a folder before its own are read: the farthest first. */
export function patternsAbove(folder: string, excluded: readonly string[]): readonly Patterns[] {
  const given: readonly Patterns[] = excluded.length === 0 ? [] : [{ folder, rules: ignore().add([...excluded]) }];
  const above = [...foldersAbove(folder)];
  const repository = [folder, ...above].findIndex((each) => existsSync(join(each, ".git")));
  if (repository < 0) return given;
  const within = above.slice(0, repository);
  const root = within.at(-1) ?? folder;
  const found = [
    ...patternsOf(root, join(".git", "info", "exclude")),
    ...within.toReversed().flatMap((each) => patternsOf(each)),
  ];
  // Whoever names a folder means it.
  return [...(isIgnored(folder, true, found) ? [] : found), ...given];
}

export function patternsOf(folder: string, name = ".gitignore"): readonly Patterns[] {
  try {
    return [{ folder, rules: ignore().add(readFileSync(join(folder, name), "utf8")) }];
  } catch {
    return [];
  }
}

/** The nearest patterns that speak of a path decide. */
export function isIgnored(path: string, isFolder: boolean, patterns: readonly Patterns[]): boolean {
  for (const { folder, rules } of patterns.toReversed()) {
    const inside = relative(folder, path).replaceAll(sep, "/");
    if (inside === "" || inside.startsWith("../")) continue;
    const { ignored, unignored } = rules.test(isFolder ? `${inside}/` : inside);
    if (ignored || unignored) return ignored;
  }
  return false;
}

function* foldersAbove(folder: string): Generator<string> {
  for (let at = resolve(folder); dirname(at) !== at;) {
    at = dirname(at);
    yield at;
  }
}
