/** The files below a folder that may say how something is trained; nothing follows links. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { largest } from "../../compiler/foreign/assemble.ts";
import { isIgnored, patternsAbove, patternsOf, type Patterns } from "./ignored.ts";

/** Further ones are told as not looked at: nobody keeps so many files beside launches. */
const most = 50_000;

/** Installed packages and caches. */
const passedOver = new Set(["node_modules", "__pycache__", "site-packages", "venv"]);
/** Endings of what `check` reads; a script may have none, or one of a scheduler's. */
const endings = /^\.(?:cdr|sh|bash|zsh|ksh|sbatch|slurm|h?json|ya?ml|toml)$/;
const maybeScript = /^(?:|\.(?:job|sub|submit|batch|cmd))$/;

export interface Walked {
  /** With what else lies in the folder, in the order of names. */
  readonly files: readonly string[];
  /** Names that may be scripts and nothing else. */
  readonly maybe: ReadonlySet<string>;
  /** Files that were seen, of whatever kind. */
  readonly seen: number;
  /** What was not looked into, by the reason. */
  readonly passed: ReadonlyMap<string, readonly string[]>;
}

export function walk(folder: string, excluded: readonly string[]): Walked {
  const files: string[] = [];
  const maybe = new Set<string>();
  const passed = new Map<string, string[]>();
  let seen = 0;
  const pass = (why: string, path: string): void => void passed.set(why, [...(passed.get(why) ?? []), path]);

  const into = (at: string, above: readonly Patterns[]): void => {
    let entries;
    try {
      entries = readdirSync(at, { withFileTypes: true });
    } catch {
      return pass("may not be read", at);
    }
    const names = new Set(entries.map(({ name }) => name));
    if (names.has("plan.json") && names.has("manifest.json")) return pass("bundles that cdrc wrote", at);
    const patterns = [...above, ...patternsOf(resolve(at))];
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) {
        if (entry.name.startsWith(".") || passedOver.has(entry.name) || existsSync(join(path, "pyvenv.cfg")))
          pass("hidden, or installed packages", path);
        else if (isIgnored(resolve(path), true, patterns)) pass("left out by patterns", path);
        else into(path, patterns);
      } else if (entry.isFile()) {
        seen += 1;
        const isCandidate = endings.test(extname(path)) || maybeScript.test(extname(path));
        if (!isCandidate || entry.name.startsWith(".")) continue;
        if (isIgnored(resolve(path), false, patterns)) pass("left out by patterns", path);
        else if (seen > most) pass(`beyond the first ${most} files`, path);
        else if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > largest)
          pass("data of more than 4 MB", path);
        else {
          files.push(path);
          if (maybeScript.test(extname(path))) maybe.add(path);
        }
      } else if (entry.isSymbolicLink() && endings.test(extname(path))) pass("links", path);
    }
  };
  into(folder, patternsAbove(resolve(folder), excluded));
  return { files, maybe, seen, passed };
}
