/** Reads a file and everything it imports. */
import { posix } from "node:path";
import {
  ambiguousName,
  duplicateName,
  importCycle,
  importMissing,
  importUnknown,
  missingName,
  misplaced,
} from "../diagnostics/catalog/names.ts";
import type { Diagnostic, Fix } from "../diagnostics/diagnostic.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { replacement, suggest } from "../diagnostics/suggest.ts";
import type { StandardLibrary } from "../kind.ts";
import { ofCommandLine, type Source } from "../source/source.ts";
import type { File, Import, Name, Statement } from "../syntax/ast.ts";
import { parseOnce } from "../syntax/parse-once.ts";
import { isValueWord } from "../syntax/words.ts";
import { checkEdition, isEdition } from "./edition.ts";
import { givenAtTop } from "./given-at-top.ts";
import { namesIn } from "./names-in.ts";
import type { Amendment, Module, Symbol } from "./symbol.ts";

export interface Loaded {
  readonly root: Module;
  readonly modules: ReadonlyMap<string, Module>;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * `read` gives the text of a path, or `undefined`; `std/…` is the standard library. `more` are files laid over the root: they
 * see its names without importing them. `placed` gives a file one path, whichever way leads to it. `known`: what the root was read as,
 * without a mistake.
 */
export function load(
  root: Source,
  read: (path: string) => string | undefined,
  std: StandardLibrary,
  more: readonly string[],
  placed: (path: string) => string = (path) => path,
  known?: File,
): Loaded {
  const modules = new Map<string, Module>();
  const diagnostics: Diagnostic[] = [];
  const open: string[] = [];
  /** Where the names of a module that it imports are bound, and those of them that no `as` renames. */
  const imported = new Map<ReadonlyMap<string, Symbol>, Map<string, Name>>();
  const bindings = new Map<ReadonlyMap<string, Symbol>, Map<string, Name>>();

  const loadSource = (
    source: Source,
    seen: ReadonlyMap<string, Symbol> = new Map(),
    { file, diagnostics: found } = parseOnce(source),
  ): Module => {
    for (const one of found) diagnostics.push(one);
    const names = new Map<string, Symbol>(seen);
    const amendments: Amendment[] = [];
    const module: Module = { path: source.path, file, names, amendments };
    modules.set(source.path, module);
    open.push(source.path);
    for (const statement of file.statements) {
      if (statement.kind === "import") bind(statement, module, names);
    }
    open.pop();
    for (const statement of file.statements) declare(statement, module, names, amendments);
    return module;
  };

  const add = (names: Map<string, Symbol>, name: Name, symbol: Symbol) => {
    const earlier = names.get(name.text);
    if (earlier === symbol) return;
    if (isValueWord(name.text))
      diagnostics.push(ambiguousName(name.span, { name: name.text, expected: null, declared: symbol.kind }));
    if (earlier === undefined) names.set(name.text, symbol);
    else {
      const bound = imported.get(names)?.get(name.text);
      if (bound !== undefined && symbol.name === name && symbol.kind !== "namespace") {
        const related = [{ message: "declared here too", span: name.span }];
        const fixes = [replacement(bound.span, `${name.text} as other_${name.text}`)];
        const fix = "Import it under another name, `a as b`, or remove it.";
        diagnostics.push(duplicateName(bound.span, { name: name.text }, { related, fix, fixes }));
        return;
      }
      const related = [{ message: "the first one", span: earlier.name.span }];
      // What is no block is not amended by its name.
      const details = earlier.kind === "block" ? {} : { fix: "Rename one of the two, or remove it." };
      diagnostics.push(duplicateName(name.span, { name: name.text }, { related, ...details }));
    }
  };

  const declare = (statement: Statement, module: Module, names: Map<string, Symbol>, amendments: Amendment[]) => {
    switch (statement.kind) {
      case "import":
      case "test":
      case "assert":
        return;
      case "expect":
        diagnostics.push(
          misplaced(statement.span, {
            what: "`expect`",
            where: "at the top of a file: it watches a stage, so it belongs in its block",
          }),
        );
        return;
      case "param":
      case "secret":
      case "let":
      case "fn":
      case "enum":
        add(names, statement.name, { kind: statement.kind, node: statement, name: statement.name, module } as Symbol);
        return;
      case "block":
        if (statement.name !== null)
          add(names, statement.name, { kind: "block", node: statement, name: statement.name, module });
        else amendments.push({ statement, module });
        return;
      case "assign":
        if (isEdition(statement)) checkEdition(statement, (diagnostic) => diagnostics.push(diagnostic));
        else if (statement.target.length > 1) amendments.push({ statement, module });
        else diagnostics.push(givenAtTop(statement));
        return;
      case "bound":
        amendments.push({ statement, module });
    }
  };

  const bind = (statement: Import, module: Module, names: Map<string, Symbol>) => {
    const [part = "", ...others] = statement.from.parts;
    const written = others.length === 0 && typeof part === "string" ? part : null;
    const path = written === null || written === "" ? null : resolve(module.path, written, placed);
    const text = path === null ? undefined : path.startsWith("std/") ? std.read(path) : read(path);
    if (path === null || text === undefined) {
      const isStd = written !== null && /^std(?:\/|$)/.test(written);
      const meant = isStd ? nearest(written, std.names) : null;
      const whole = JSON.stringify(`${written}.cdr`);
      const isThere = path !== null && !path.startsWith("std/") && read(`${path}.cdr`) !== undefined;
      const instead = isThere ? whole : meant === null ? null : JSON.stringify(meant);
      const fixes = instead === null ? [] : [replacement(statement.from.span, instead)];
      const valid = isStd ? std.names : [];
      diagnostics.push(importMissing(statement.from.span, { path: written ?? "…" }, { valid, fixes }));
      return;
    }
    if (open.includes(path)) {
      const chain = [...open.slice(open.indexOf(path)), path].join(" -> ");
      diagnostics.push(importCycle(statement.from.span, { chain }));
      return;
    }
    const of = modules.get(path) ?? loadSource({ path, text });
    if (statement.as !== null) add(names, statement.as, { kind: "namespace", name: statement.as, module, of });
    const listed = bindings.get(names) ?? new Map<string, Name>();
    bindings.set(names, listed);
    for (const { name, alias } of statement.names) {
      const bound = alias ?? name;
      const earlier = listed.get(bound.text);
      if (earlier !== undefined) {
        const related = [{ message: "the first one", span: earlier.span }];
        const fix = "Remove one of the two, or give it another name: `a as b`.";
        diagnostics.push(duplicateName(bound.span, { name: bound.text }, { related, fix }));
        continue;
      }
      listed.set(bound.text, bound);
      const symbol = of.names.get(name.text);
      if (symbol === undefined || symbol.module !== of) {
        const valid = [...of.names].filter(([, s]) => s.module === of).map(([n]) => n);
        const details = suggest(name.span, name.text, valid);
        const fixes =
          alias === null
            ? (details.fixes ?? []).map((fix) => everywhere(fix, name, module.file))
            : (details.fixes ?? []);
        diagnostics.push(importUnknown(name.span, { name: name.text, path: written ?? path }, { ...details, fixes }));
      } else {
        add(names, bound, symbol);
        if (alias === null)
          imported.set(names, (imported.get(names) ?? new Map<string, Name>()).set(name.text, name));
      }
    }
  };

  const module = loadSource(
    root,
    new Map(),
    known === undefined ? parseOnce(root) : { file: known, diagnostics: [] },
  );
  for (const path of more) {
    const text = read(path);
    if (text !== undefined) loadSource({ path, text }, module.names);
    else {
      const fix =
        "Correct the path: it is relative to the folder of the command; a name without `.cdr` is an overlay of the file.";
      diagnostics.push(importMissing(ofCommandLine("--with", path), { path }, { fix }));
    }
  }
  return { root: module, modules, diagnostics };
}

/** What is imported under the wrong name is spoken of by it, too. */
function everywhere(fix: Fix, { text, span }: Name, file: File): Fix {
  const newText = fix.edits[0]?.newText ?? text;
  const spans = [...namesIn(file.statements)].filter((each) => each.text === text && each.span.start !== span.start);
  return { ...fix, edits: [...fix.edits, ...spans.map((each) => ({ span: each.span, newText }))] };
}

/** `./x.cdr` is relative to the importing file; `std/x` stands for itself. */
function resolve(from: string, to: string, placed: (path: string) => string): string {
  if (to.startsWith("std/")) return to;
  return placed(to.startsWith("/") ? posix.normalize(to) : posix.join(posix.dirname(from), to));
}

/** Every top-level block of a file that has a kind but no name is either an amendment or a mistake. */
export function checkAmendments(file: File, isKind: (name: string) => boolean): Diagnostic[] {
  return file.statements.flatMap((statement) =>
    statement.kind === "block" &&
    statement.name === null &&
    statement.head.length === 1 &&
    isKind(statement.head[0].text)
      ? [missingName(statement.head[0].span, { kind: statement.head[0].text })]
      : [],
  );
}
