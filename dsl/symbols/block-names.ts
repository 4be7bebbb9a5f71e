/** What each block of a program is called in it: steps, plans and folders go by these names, so no two blocks share one. */
import { knownAs } from "./known-as.ts";
import type { BlockSymbol, Module } from "./symbol.ts";

interface Files {
  readonly root: Module;
  readonly modules: ReadonlyMap<string, Module>;
}

type Called = (symbol: BlockSymbol) => string;

/** Every variant of a file has the same. */
const known = new WeakMap<Files["modules"], Called>();

export function blockNames(files: Files): Called {
  const names = known.get(files.modules) ?? namesOf(files);
  known.set(files.modules, names);
  return names;
}

/** Its own name; of several in other files that share one, the name by which the entry file reaches it, or its file's in front. */
function namesOf({ root, modules }: Files): Called {
  const declaredBy = new Map<string, Declaring>();
  for (const module of modules.values())
    for (const { kind, name, module: own } of module.names.values()) {
      if (kind !== "block" || own !== module) continue;
      const declaring = declaredBy.get(name.text) ?? { users: new Set(), std: new Set() };
      declaredBy.set(name.text, declaring);
      declaring[isStd(module) ? "std" : "users"].add(module);
    }
  const endingsOf = endingsBySet();
  return ({ name, module, ...rest }) => {
    const own = name.text;
    const { users = new Set<Module>(), std = new Set<Module>() } = declaredBy.get(own) ?? {};
    // What the library declares takes no name from a file.
    const declaring = isStd(module) ? [users, std] : [users];
    if (module === root || declaring.every((set) => set.size === (set.has(module) ? 1 : 0))) return own;
    const path = knownAs({ name, module, ...rest }, root);
    const isKnown = path.length > 1 || root.names.get(path[0])?.module === module;
    return isKnown ? path.join(".") : behindFile(own, module, declaring.map(endingsOf));
  };
}

/** The files that declare a block of one name. */
interface Declaring {
  readonly users: Set<Module>;
  readonly std: Set<Module>;
}

const isStd = ({ path }: Module): boolean => path.startsWith("std/");

/** `b.pretrain`, and `old.b.pretrain` where another file of that name has one too. */
function behindFile(own: string, { path }: Module, endings: readonly ReadonlyMap<string, number>[]): string {
  const parts = partsOf(path);
  const shared = (length: number): boolean => {
    const ending = parts.slice(parts.length - length).join("/");
    return endings.reduce((files, counted) => files + (counted.get(ending) ?? 0), 0) > 1;
  };
  let length = 1;
  while (length < parts.length && shared(length)) length += 1;
  return [...parts.slice(parts.length - length), own].join(".");
}

/** How many of some files have a path that ends so. Hundreds may declare the same names, and are looked at once for each. */
function endingsBySet(): (files: ReadonlySet<Module>) => ReadonlyMap<string, number> {
  const known = new Map<ReadonlySet<Module>, ReadonlyMap<string, number>>();
  return (files) => {
    const before = known.get(files);
    if (before !== undefined) return before;
    const counted = new Map<string, number>();
    for (const { path } of files) {
      const parts = partsOf(path);
      for (let from = 0; from < parts.length; from++) {
        const ending = parts.slice(from).join("/");
        counted.set(ending, (counted.get(ending) ?? 0) + 1);
      }
    }
    known.set(files, counted);
    return counted;
  };
}

const partsOf = (path: string): readonly string[] =>
  path
    .replace(/\.cdr$/, "")
    .split("/")
    .filter((part) => part !== "" && part !== "." && part !== "..");
