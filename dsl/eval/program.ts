/** One compilation of one file: modules, variants, params, and the instances that everything else asks for. */
import { extendsKind, valueCycle } from "../diagnostics/catalog/names.ts";
import { missingProperty } from "../diagnostics/catalog/properties.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Registry, Type } from "../kind.ts";
import type { Source, Span } from "../source/source.ts";
import { blockNames } from "../symbols/block-names.ts";
import { load, type Loaded } from "../symbols/load.ts";
import { sorted } from "../symbols/sorted.ts";
import type { BlockSymbol, Module, Symbol } from "../symbols/symbol.ts";
import type { File, Path, Statement } from "../syntax/ast.ts";
import { conform } from "../types/conform.ts";
import { type Value, type Valued } from "../types/value.ts";
import { builtins, environmentVariable } from "./expressions/builtins.ts";
import type { Context } from "./context.ts";
import { evaluate } from "./expressions/evaluate.ts";
import { enclosing, type Instance, type Written } from "./blocks/instance.ts";
import { holds } from "./judgement/holds.ts";
import { isSettled } from "./judgement/is-settled.ts";
import { leaveOpen } from "./blocks/lost-base.ts";
import { applyBody, applyStatement } from "./blocks/merge.ts";
import { copyOf, newInstance } from "./blocks/new-instance.ts";
import { isRemoved } from "./blocks/is-removed.ts";
import { makeProperty } from "./blocks/property.ts";
import type { Scope } from "./scope.ts";
import { enter, leave } from "./expressions/nesting.ts";
import { isNaming } from "./declarations/is-naming.ts";
import { refuseKind } from "./blocks/refuse-kind.ts";
import { resolveBlock } from "./blocks/resolve-block.ts";
import { unusedSecrets } from "./declarations/unused-secrets.ts";
import { secretNamedBy } from "./declarations/secret-named-by.ts";
import { settable } from "./variants/settable.ts";
import { valueOfSymbol } from "./declarations/symbol-value.ts";
import { type LayeredAmendment, layers, type Replacement, type Variants } from "./variants/variants.ts";
import { inTable } from "../in-table.ts";
import { type Asked, offTrail, type Trail } from "./trail.ts";

export interface Options extends Variants {
  readonly read: (path: string) => string | undefined;
  /** What the root was read as, without a mistake, where somebody has read it. */
  readonly file?: File;
  /** The one path of a file, whichever way leads to it; without it paths count from the file that writes them. */
  readonly placed?: (path: string) => string;
  readonly environment: (name: string) => string | undefined;
  readonly host: (name: string) => Value | undefined;
}

export interface Program {
  readonly context: Context;
  /** The files as they were read: the same for every variant of them. */
  readonly loaded: Loaded;
  readonly root: Module;
  readonly modules: ReadonlyMap<string, Module>;
  /** Files that were laid over: what stands at their top amends, and is no mistake. */
  readonly overlayFiles: readonly string[];
  /** Every block that is declared in the files of the user, root file first; templates included. */
  readonly blocks: readonly Instance[];
  /** Blocks of the standard library that the file amends, used or not. */
  readonly amendedLibrary: readonly Instance[];
  /** Blocks as they are declared, where an amendment removes them or has another stand for them. */
  readonly replaced: () => readonly Instance[];
  readonly diagnostics: readonly Diagnostic[];
  /** What was known only later is computed again when it is asked for: a plan was made since. */
  readonly askAgain: () => void;
}

/** `loaded` is what the source and all behind it were read as, where that is known. */
export function createProgram(
  source: Source,
  registry: Registry,
  options: Options,
  loaded: Loaded = load(source, options.read, registry.std, options.overlayFiles, options.placed, options.file),
): Program {
  const diagnostics: Diagnostic[] = [...loaded.diagnostics];
  const seen = new Set<string>();
  const hearing: Context["hearing"] = { only: null };
  const report = (diagnostic: Diagnostic): void => {
    if (hearing.only !== null && !hearing.only(diagnostic)) return;
    const key = `${diagnostic.code}\0${diagnostic.span.source.path}\0${diagnostic.span.start}\0${diagnostic.span.end}\0${diagnostic.message}`;
    if (!seen.has(key)) diagnostics.push(diagnostic);
    seen.add(key);
  };
  const trail: Trail = [];
  const nameOf = blockNames(loaded);
  /** What copies (`with`) that would share a name say; one that is evaluated again is the same. */
  const copiesCalled = new Map<string, (readonly Statement[])[]>();
  const extending: BlockSymbol[] = [];
  const instances = new Map<BlockSymbol, Instance | null>();
  const values = new Map<Symbol, Valued>();
  const usedSecrets = new Set<Symbol>();
  const amendments = new Map<Symbol, LayeredAmendment[]>();
  const replacements = new Map<Symbol, Replacement>();
  const params = settable(loaded);
  const sets = new Map<Symbol, Options["sets"][number]>();
  for (const set of options.sets) {
    const [param, another] = params.get(set.name) ?? [];
    if (param !== undefined && another === undefined) sets.set(param, set);
  }

  const resolve: Context["resolve"] = (path, module, kinds) =>
    resolveBlock(path, module, { registry, report, root: loaded.root, kinds });

  const context: Context = {
    registry,
    builtins: new Map([
      ...builtins,
      [
        "env",
        {
          ...environmentVariable,
          call: ([name, fallback]) => {
            const found = name?.value.kind === "string" ? options.environment(name.value.value) : undefined;
            if (found !== undefined) return { kind: "string", value: found };
            return fallback === undefined || fallback.value.kind === "none"
              ? { takes: "a variable that is set, or a variable and a default" }
              : fallback.value;
          },
        },
      ],
    ]),
    modules: loaded.modules,
    root: loaded.root,
    report,
    environment: options.environment,
    host: options.host,
    evaluate: (expression, scope, expected, what) => evaluate(expression, scope, expected, what, context),
    property: makeProperty(trail),
    instanceOf,
    removed,
    saidInstead: (symbol) => replacements.get(symbol),
    symbolValue,
    resolve,
    isKindAround: (name, scope) => [...enclosing(scope.self)].some((block) => block.kind.name === name),
    calling: new Set(),
    branches: { passed: new Map(), taken: new Set() },
    away: [],
    expectations: new Map(),
    hearing,
    derive: (base, body, by, wanted) => {
      const copies = copiesCalled.get(wanted) ?? [];
      copiesCalled.set(wanted, copies);
      const known = by.locals.size === 0 ? copies.indexOf(body) : -1;
      const nth = known >= 0 ? known + 1 : copies.push(body);
      const name = nth === 1 ? wanted : `${wanted}_${nth}`;
      const copy = copyOf(base, { name, span: base.span, abstract: false, symbol: base.symbol });
      applyBody(copy, body, by);
      return copy;
    },
  };

  function instanceOf(symbol: BlockSymbol): Instance | null {
    const known = instances.get(symbol);
    if (known !== undefined) return known;
    instances.set(symbol, null);
    const replaced = replacements.get(symbol);
    if (replaced !== undefined) {
      const scope: Scope = { module: replaced.by.module, locals: replaced.by.locals, self: null };
      const wanted: Type = { kind: "block", kinds: [symbol.node.head[0].text] };
      const what = `\`${symbol.name.text}\``;
      const said = context.evaluate(replaced.statement.value, scope, wanted, what);
      const { value } = said.value.kind === "none" ? said : conform(said, wanted, what, report);
      instances.set(symbol, value.kind === "block" ? value.block : null);
      return instances.get(symbol) ?? null;
    }
    const instance = declare(symbol);
    instances.set(symbol, instance);
    return instance;
  }

  function removed(symbol: BlockSymbol): Span | null {
    const value = replacements.get(symbol)?.statement.value;
    return value?.kind === "none" ? value.span : null;
  }

  function declare(symbol: BlockSymbol): Instance | null {
    const { node } = symbol;
    const kindName = node.head[0].text;
    const kind = inTable(registry.kinds, kindName);
    const header = { name: nameOf(symbol), span: symbol.name.span, abstract: node.abstract, symbol };
    if (kind === undefined || node.head.length > 1) {
      const meant = refuseKind(symbol, registry, report);
      // What it says is held against the kind that is meant, so that all its misspelt names are told at once.
      if (meant !== null && meant.variant !== true && node.extends === null)
        say(newInstance(meant, header.name, null, header.span, context, header), symbol);
      return null;
    }
    const base = node.extends === null ? null : baseOf(symbol, node.extends);
    const isLost = node.extends !== null && base === null;
    if (isLost && symbol.module.names.has(node.extends[0].text)) return null;
    const instance =
      base === null ? newInstance(kind, header.name, null, header.span, context, header) : copyOf(base, header, null);
    // Before what it says: that may amend what the base would have said.
    if (isLost) leaveOpen(instance, node.extends, { module: symbol.module, locals: new Map(), layer: "file" });
    if (kind.variant !== true) say(instance, symbol);
    return instance;
  }

  /** What a block extends; it is said in full before anything is added. */
  function baseOf(symbol: BlockSymbol, path: Path): Instance | null {
    const expected = symbol.node.head[0].text;
    const base = resolve(path, symbol.module, [expected]);
    if (base === null) return null;
    const kind = base.node.head[0].text;
    if (kind !== expected) {
      report(extendsKind(path[0].span, { name: base.name.text, kind, expected }));
      return null;
    }
    const at = extending.indexOf(base);
    if (at >= 0 || base === symbol) {
      const chain = [...extending.slice(Math.max(0, at)), symbol, base].map((s) => s.name.text).join(" -> ");
      const fix = "Let one of them extend another block, or none: move what they share into an abstract block.";
      report(valueCycle(path[0].span, { chain }, { fix }));
      return null;
    }
    if (isRemoved(base, path[0].span, context) || !enter(path[0].span, context)) return null;
    extending.push(symbol);
    const instance = instanceOf(base);
    extending.pop();
    leave(context);
    return instance;
  }

  /** Says what its own body and its amendments say, in that order. */
  function say(instance: Instance, symbol: BlockSymbol): void {
    const { node, module } = symbol;
    const by: Written = { module, locals: new Map(), layer: "file" };
    if (node.on !== null) instance.clauses.on = { path: node.on, module };
    if (node.after.length > 0) instance.clauses.after = node.after.map((path) => ({ path, module }));
    applyBody(instance, node.body ?? [], by);
    for (const { statement, module: from, layer, locals } of amendments.get(symbol) ?? []) {
      const how: Written = { module: from, locals: locals ?? new Map(), layer };
      if (statement.kind === "block" && statement.head.length === 0) applyBody(instance, statement.body ?? [], how);
      else applyStatement(instance, statement, how);
    }
  }

  function symbolValue(symbol: Exclude<Symbol, { kind: "block" | "namespace" }>, at: Span): Valued {
    const read = symbol.kind === "let" ? secretNamedBy(symbol) : symbol;
    if (read?.kind === "secret" && at !== symbol.name.span && !isNaming(read, at)) usedSecrets.add(read);
    const known = values.get(symbol);
    if (known !== undefined) return known;
    const asked: Asked = { of: symbol, property: null };
    const refused = offTrail(trail, asked, symbol.name.span, at, report);
    if (refused !== null) return refused;
    trail.push(asked);
    const value = valueOfSymbol(symbol, { context, sets, amendments, replacements });
    trail.pop();
    values.set(symbol, value);
    return value;
  }

  layers(loaded, options, {
    context,
    amendments,
    replacements,
    report,
    isPresent: (symbol) => presentPreset(symbol),
  });

  function presentPreset(symbol: BlockSymbol): boolean {
    const condition = symbol.node.body?.find((s) => s.kind === "assign" && s.target[0].text === "when");
    if (condition?.kind !== "assign") return false;
    const scope: Scope = { module: symbol.module, locals: new Map(), self: null };
    const isPresent = holds(condition.value, scope, context);
    values.clear();
    return isPresent === true;
  }

  const blocks: Instance[] = [];
  const own = [...loaded.modules.values()].filter((m) => !m.path.startsWith("std/"));
  for (const module of own.sort((a, b) => Number(b === loaded.root) - Number(a === loaded.root))) {
    for (const symbol of sorted(module, registry).blocks) {
      const instance = instanceOf(symbol);
      if (instance !== null && instance.symbol === symbol) blocks.push(instance);
    }
  }

  // Nothing else may ask for a block of the library that the file amends.
  const amendedLibrary = [...amendments].flatMap(([symbol, said]) => {
    const isAmended = symbol.module.path.startsWith("std/") && said.some(({ layer }) => layer === "file");
    const instance = symbol.kind === "block" && isAmended ? instanceOf(symbol) : null;
    return instance === null ? [] : [instance];
  });

  const program: Program = {
    context,
    loaded,
    root: loaded.root,
    modules: loaded.modules,
    overlayFiles: options.overlayFiles,
    blocks,
    amendedLibrary,
    replaced: () =>
      [...replacements.keys()].flatMap((symbol) => {
        const declared = symbol.kind === "block" ? declare(symbol) : null;
        return declared === null ? [] : [declared];
      }),
    askAgain: () => {
      context.expectations.clear();
      for (const [symbol, { value }] of values) if (!isSettled(value)) values.delete(symbol);
    },
    get diagnostics() {
      // What is broken may be what would have read it; what is not there at all says nothing of it.
      const isBroken = ({ code, severity }: Diagnostic): boolean =>
        severity === "error" && code !== missingProperty.code;
      if (diagnostics.some(isBroken)) return diagnostics;
      // A file without a step of its own brings its names to others.
      const isUsedElsewhere = blocks.every((b) => b.symbol?.module !== loaded.root || b.kind.step !== true);
      if (isUsedElsewhere) return diagnostics;
      const isUsed = (secret: Symbol): boolean =>
        usedSecrets.has(secret) || values.get(secret)?.value.kind === "unknown";
      return [...diagnostics, ...unusedSecrets(sorted(loaded.root, registry).values, isUsed)];
    },
  };
  return program;
}
