/**
 * What the editor has open, what lies on disk, and what is known of both. A text is parsed once per version; a file is analysed
 * again only when something that it read has changed.
 */
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Program } from "../eval/program.ts";
import type { Registry } from "../kind.ts";
import type { Source } from "../source/source.ts";
import { load } from "../symbols/load.ts";
import type { Module } from "../symbols/symbol.ts";
import type { File } from "../syntax/ast.ts";
import type { Files } from "./files.ts";
import { behind } from "./behind.ts";
import { type Part, partOf, type Whole, wholeOf } from "./part.ts";
import { fileUri, pathOf } from "./uri.ts";

/** What `check` knows of a file. */
export interface Analysis {
  readonly program: Program;
  readonly diagnostics: readonly Diagnostic[];
  /** What takes long to find, begun anew at each call; a step at a time, so that whoever types need not wait for it. */
  readonly further?: () => Generator<undefined, readonly Diagnostic[]> | null;
}

/** `file`: what the source was read as, where that is known. */
export type Analyze<A extends Analysis> = (
  source: Source,
  read: (path: string) => string | undefined,
  file?: File,
) => A;

export interface OpenDocument {
  readonly uri: string;
  readonly version: number;
  readonly text: string;
}

/** What the client can do beyond what every client can. */
export interface Client {
  readonly snippets: boolean;
  /** Snippets in edits as well: what an action inserts. */
  readonly snippetEdits: boolean;
  /** An answer about one document may speak of the files that it reads. */
  readonly relatedDiagnostics: boolean;
}

export interface Workspace<A extends Analysis = Analysis> {
  client: Client;
  readonly registry: Registry;
  readonly files: Files;
  /** Opens a document, or gives it a new text. */
  readonly put: (document: OpenDocument) => void;
  readonly close: (uri: string) => void;
  readonly folders: (paths: readonly string[]) => void;
  /** Folders are listed again when they are next asked for. */
  readonly relist: () => void;
  /** Some file on disk that an open one was judged with is another now. */
  readonly isBehind: () => boolean;
  readonly opened: () => readonly OpenDocument[];
  readonly document: (path: string) => OpenDocument | undefined;
  readonly uriOf: (path: string) => string;
  readonly text: (path: string) => string | undefined;
  /** Names and syntax, without evaluation. */
  readonly module: (path: string) => Module | null;
  /** The names of a file and its text as it is now, whose syntax may not have been read yet. */
  readonly names: (path: string) => { readonly module: Module; readonly source: Source } | null;
  /** A file of the standard library, read as any other. */
  readonly standardModule: (path: string) => Module | null;
  /** Everything that `check` says. */
  readonly analysis: (path: string) => A | null;
  readonly isAnalysed: (path: string) => boolean;
  /** One step towards what takes long to find of an open file; in the end it is said with the rest. `false` where nothing is left. */
  readonly goFurther: () => boolean;
  /** What `check` says of a file, without keeping how it came to it: of hundreds nobody looks at, only that matters. */
  readonly diagnostics: (path: string) => readonly Diagnostic[] | null;
  /** What can be said at once of a text that is being typed: `null` where only the whole file can tell. */
  readonly soonDiagnostics: (path: string) => readonly Diagnostic[] | null;
  /** What files would be if some had other texts; nothing of it is kept. */
  readonly trial: (texts: ReadonlyMap<string, string>) => Trial;
  /** Every `.cdr` file of the folders and every open one. */
  readonly paths: () => readonly string[];
}

export interface Trial {
  readonly module: (path: string) => Module;
  readonly diagnostics: (path: string) => readonly Diagnostic[];
}

interface Read<T> {
  readonly result: T;
  readonly reads: ReadonlyMap<string, string | undefined>;
}

export function createWorkspace<A extends Analysis>(
  registry: Registry,
  files: Files,
  analyze: Analyze<A>,
): Workspace<A> {
  const documents = new Map<string, OpenDocument>();
  const disk = new Map<string, { readonly stamp: string; readonly text: string }>();
  const modules = new Map<string, Read<Module>>();
  const analyses = new Map<string, Read<A>>();
  const parts = new Map<string, { readonly whole: Whole; readonly part: Part; readonly text: string }>();
  const wholes = new WeakMap<A, Whole>();
  const reports = new Map<string, Read<readonly Diagnostic[]>>();
  const going = new WeakMap<A, ReturnType<NonNullable<Analysis["further"]>>>();
  let folders: readonly string[] = [];
  let listed: readonly string[] | null = null;

  const text = (path: string): string | undefined => {
    const document = documents.get(path);
    if (document !== undefined) return document.text;
    const stamp = files.stamp(path);
    if (stamp === undefined) {
      disk.delete(path);
      return undefined;
    }
    const seen = disk.get(path);
    if (seen?.stamp === stamp) return seen.text;
    const read = files.read(path);
    if (read !== undefined) disk.set(path, { stamp, text: read });
    return read;
  };

  /** Nothing that the last whole analysis read is different, the file itself left aside. */
  const partFor = (path: string): { readonly part: Part; readonly text: string } | null => {
    const known = analyses.get(path);
    const own = text(path);
    if (known === undefined || own === undefined) return null;
    if ([...known.reads].some(([other, before]) => other !== path && text(other) !== before)) return null;
    const { result } = known;
    let whole = wholes.get(result);
    if (whole === undefined) {
      const others = [...known.reads].filter(([other]) => other !== path);
      const beside = others.reduce((sum, [, read]) => sum + (read?.length ?? 0), 0);
      whole = wholeOf(result.program.root.file, result.diagnostics, registry, beside);
      wholes.set(result, whole);
    }
    const last = parts.get(path);
    if (last?.whole === whole && last.text === own) return last;
    const part = partOf(whole, own);
    const found = part === null ? null : { whole, part, text: own };
    if (found === null) parts.delete(path);
    else parts.set(path, found);
    return found;
  };

  const holds = (known: Read<unknown> | undefined): boolean =>
    known !== undefined && [...known.reads].every(([path, before]) => text(path) === before);

  /** What `make` gives, remembered with every text that it read. */
  const remember = <T>(
    memory: Map<string, Read<T>>,
    path: string,
    make: (source: Source, read: (path: string) => string | undefined) => T,
  ): T | null => {
    const known = memory.get(path);
    if (known !== undefined && holds(known)) return known.result;
    const own = text(path);
    if (own === undefined) {
      memory.delete(path);
      return null;
    }
    const reads = new Map<string, string | undefined>([[path, own]]);
    const read = once(text, reads);
    // What it was before need not live beside what it becomes.
    memory.delete(path);
    const result = make({ path, text: own }, read);
    memory.set(path, { result, reads });
    return result;
  };

  const module = (path: string): Module | null => {
    const analysed = analyses.get(path);
    if (analysed !== undefined && holds(analysed)) return analysed.result.program.root;
    return remember(modules, path, (source, read) => load(source, read, registry.std, []).root);
  };

  return {
    client: { snippets: false, snippetEdits: false, relatedDiagnostics: false },
    registry,
    files,
    put: (document) => {
      documents.set(pathOf(document.uri), document);
    },
    close: (uri) => {
      documents.delete(pathOf(uri));
      analyses.delete(pathOf(uri));
      parts.delete(pathOf(uri));
    },
    folders: (paths) => {
      folders = paths;
      listed = null;
    },
    relist: () => {
      listed = null;
    },
    isBehind: () =>
      [...documents.keys()].some((path) =>
        [...(analyses.get(path)?.reads ?? [])].some(
          ([other, before]) => !documents.has(other) && text(other) !== before,
        ),
      ),
    opened: () => [...documents.values()],
    document: (path) => documents.get(path),
    uriOf: (path) =>
      documents.get(path)?.uri ?? (path.startsWith("std/") ? (files.standardUri(path) ?? path) : fileUri(path)),
    text,
    module,
    names: (path) => {
      // Inside a declaration no name comes or goes.
      const part = partFor(path);
      const analysed = analyses.get(path)?.result;
      if (part !== null && analysed !== undefined)
        return { module: analysed.program.root, source: { path, text: part.text } };
      const found = module(path);
      return found === null ? null : { module: found, source: found.file.source };
    },
    standardModule: (path) => {
      const own = registry.std.read(path);
      return own === undefined ? null : load({ path, text: own }, () => undefined, registry.std, []).root;
    },
    analysis: (path) => remember(analyses, path, analyze),
    isAnalysed: (path) => holds(analyses.get(path)),
    diagnostics: (path) =>
      documents.has(path) || holds(analyses.get(path))
        ? (remember(analyses, path, analyze)?.diagnostics ?? null)
        : remember(reports, path, (source, read) => {
            const { diagnostics, further } = analyze(source, read);
            const judging = further?.() ?? null;
            let step = judging?.next();
            while (step?.done === false) step = judging?.next();
            return step === undefined ? diagnostics : [...diagnostics, ...(step.value ?? [])];
          }),
    goFurther: () => {
      const path = [...documents.keys()].find(
        (each) => analyses.get(each)?.result.further !== undefined && holds(analyses.get(each)),
      );
      const known = path === undefined ? undefined : analyses.get(path);
      if (path === undefined || known === undefined) return false;
      const { result } = known;
      const judging = going.get(result) ?? result.further?.() ?? null;
      going.set(result, judging);
      const step = judging?.next();
      if (step?.done === false) return true;
      const found = step?.value ?? [];
      const diagnostics = found.length === 0 ? result.diagnostics : [...result.diagnostics, ...found];
      analyses.set(path, { ...known, result: { ...result, diagnostics, further: undefined } });
      return true;
    },
    soonDiagnostics: (path) => {
      const found = partFor(path);
      if (found === null) return null;
      const { part } = found;
      const program = analyses.get(path)?.result.program;
      const needed = program === undefined ? new Map() : behind(program.root, part.words());
      const read = (other: string): string | undefined =>
        program?.modules.has(other) === true ? (needed.get(other) ?? "") : text(other);
      const { diagnostics } = analyze(part.source, read, part.file);
      return part.join(diagnostics, { path, text: found.text });
    },
    trial: (texts) => {
      const read = once((path) => texts.get(path) ?? text(path));
      const sourceOf = (path: string): Source => ({ path, text: read(path) ?? "" });
      return {
        module: (path) => load(sourceOf(path), read, registry.std, []).root,
        diagnostics: (path) => analyze(sourceOf(path), read).diagnostics,
      };
    },
    paths: () => {
      listed ??= folders.flatMap((folder) => files.list(folder));
      return [...new Set([...documents.keys(), ...listed])];
    },
  };
}

/** What is judged as one is read as one: a file that is written meanwhile keeps the text that it was first seen with. */
function once(
  read: (path: string) => string | undefined,
  seen = new Map<string, string | undefined>(),
): (path: string) => string | undefined {
  return (path) => {
    if (!seen.has(path)) seen.set(path, read(path));
    return seen.get(path);
  };
}
