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
  const declaredBy = new Map<string, Module[]>();
  for (const module of modules.values())
    for (const { kind, name, module: own } of module.names.values())
      if (kind === "block" && own === module)
        declaredBy.set(name.text, [...(declaredBy.get(name.text) ?? []), module]);
  return ({ name, module, ...rest }) => {
    const own = name.text;
    const others = (declaredBy.get(own) ?? []).filter(
      (other) => other !== module && (isStd(module) || !isStd(other)),
    );
    if (module === root || others.length === 0) return own;
    const path = knownAs({ name, module, ...rest }, root);
    const isKnown = path.length > 1 || root.names.get(path[0])?.module === module;
    return isKnown ? path.join(".") : behindFile(own, module, others);
  };
}

const isStd = ({ path }: Module): boolean => path.startsWith("std/");

/** `b.pretrain`, and `old.b.pretrain` where another file of that name has one too. */
function behindFile(own: string, { path }: Module, others: readonly Module[]): string {
  const parts = partsOf(path);
  const shared = others.map((other) => {
    const theirs = partsOf(other.path);
    return parts.findLastIndex((part, at) => part !== theirs[theirs.length - parts.length + at]);
  });
  const from = Math.min(parts.length - 1, ...shared);
  return [...parts.slice(Math.max(0, from)), own].join(".");
}

const partsOf = (path: string): readonly string[] =>
  path
    .replace(/\.cdr$/, "")
    .split("/")
    .filter((part) => part !== "" && part !== "." && part !== "..");
