/** Files of other tools for `check` and `import`: loaded only where one is given. */
import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, normalize } from "node:path";
import type { Beside } from "../compiler/foreign/beside.ts";
import { assemble, largest } from "../compiler/foreign/assemble.ts";
import { checkForeign, type Checked } from "../compiler/foreign/check.ts";
import { isKnownGpu, knownGpus } from "../compiler/foreign/known/gpus.ts";
import { kindNames } from "../compiler/foreign/documents/kinds.ts";
import type { Supplied } from "../compiler/foreign/launch.ts";
import { nearest } from "../dsl/diagnostics/nearest.ts";
import type { Source } from "../dsl/source/source.ts";
import type { Misuse } from "./front.ts";
import { unreadable } from "./unreadable.ts";

export interface Flags {
  readonly world?: number;
  readonly gpusPerNode?: number;
  readonly gpu?: string;
  /** The `config.json` of a model. */
  readonly model?: string;
  /** Releases of engines, by their names. */
  readonly engine?: ReadonlyMap<string, string>;
}

export function checkForeignFiles(
  paths: readonly string[],
  flags: Flags,
): (Checked & { readonly paths: readonly string[] }) | Misuse {
  const strange = strangeFlags(flags);
  if (strange !== null) return strange;
  const sources = sourcesOf(paths);
  if ("misuse" in sources) return sources;
  const also = new Set<string>();
  const checked = checkForeign(
    sources.sources,
    suppliedBy(flags),
    diskBeside((path) => also.add(path), "."),
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

/** Options whose value says nothing: the rules that need it would be silent. */
export const strangeFlags = (flags: Flags): Misuse | null => strangeGpu(flags) ?? strangeModel(flags);

function strangeGpu({ gpu }: Flags): Misuse | null {
  if (gpu === undefined || isKnownGpu(gpu)) return null;
  const meant = nearest(gpu.toLowerCase(), knownGpus);
  const known =
    meant === null ? `known are ${knownGpus.join(", ")}, and short names such as h100` : `did you mean ${meant}?`;
  return { misuse: `--gpu ${gpu}: no such GPU is known; ${known}` };
}

function strangeModel({ model }: Flags): Misuse | null {
  if (model === undefined) return null;
  const read = sourcesOf([model]);
  if ("misuse" in read) return read;
  const [{ kind } = { kind: kindNames.model }] = assemble(read.sources, suppliedBy({}), () => undefined).kinds;
  return kind === kindNames.model ? null : { misuse: `--model ${model}: it is ${kind}, not ${kindNames.model}` };
}

export function suppliedBy({ world, gpusPerNode, gpu, engine }: Flags): Supplied {
  return {
    world: world ?? null,
    gpusPerNode: gpusPerNode ?? null,
    gpu: gpu ?? null,
    ...(engine === undefined ? {} : { engines: engine }),
  };
}

/**
 * The files of this machine; `read` is told of each whose text was taken. Launches may be started from the folder that they are checked in or
 * from: `root` is that folder.
 */
export function diskBeside(read: (path: string) => void, root?: string): Beside {
  return {
    text: (path, from) => {
      if (/^[/~]|\$/.test(path)) return undefined;
      for (const folder of root === undefined ? [dirname(from.path)] : [dirname(from.path), root]) {
        const found = sourceOf(normalize(join(folder, path)));
        if (typeof found === "string") continue;
        read(found.path);
        return found;
      }
      return undefined;
    },
    names: namesOnce(),
    bytes,
  };
}

/** Where a path may lead: from the file that names it, or from here. */
function placesOf(path: string, from: Source): readonly string[] {
  if (path.includes("$") || path.includes("://")) return [];
  if (path.startsWith("~/")) return [join(homedir(), path.slice(2))];
  return isAbsolute(path) ? [path] : [...new Set([normalize(join(dirname(from.path), path)), normalize(path)])];
}

/** A folder is read once, however many launches of a file look into it. */
function namesOnce(): Beside["names"] {
  const folders = new Map<string, readonly string[] | null>();
  const namesIn = (place: string): readonly string[] | null => {
    try {
      return readdirSync(place);
    } catch {
      return null;
    }
  };
  return (path, from) => {
    const found = placesOf(path, from).flatMap((place) => {
      let held = folders.get(place);
      if (held === undefined) folders.set(place, (held = namesIn(place)));
      return held === null ? [] : [held];
    });
    return found.length === 0 ? undefined : found.flat();
  };
}

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
    const found = statSync(path);
    if (found.isDirectory()) return "it is a folder";
    // What a shell hands over with `<(…)` or on standard input has no size, and an end.
    const isPipe = /^\/(?:dev\/(?:stdin|fd\/)|proc\/self\/fd\/)/.test(path) && !found.isCharacterDevice();
    if (!found.isFile() && !isPipe) return "it is a device or a pipe, not a file";
    if (found.size > largest) return tooLarge(found.size);
    const bytes = readFileSync(path);
    return bytes.length > largest ? tooLarge(bytes.length) : { path, text: textOf(bytes) };
  } catch (error) {
    return unreadable(error);
  }
}

const tooLarge = (size: number): string =>
  `it has ${Math.round(size / 1e6)} MB, which is too large for a file of a launch`;

/** Shells take bytes as they are: a comment in Latin-1 is no reason to refuse a script. What has control characters is no text. */
function textOf(bytes: Buffer): string {
  const text = bytes.toString("utf8");
  return text.includes("\uFFFD") && !bytes.some((byte) => byte < 9 || (byte > 13 && byte < 32 && byte !== 27))
    ? bytes.toString("latin1")
    : text;
}
