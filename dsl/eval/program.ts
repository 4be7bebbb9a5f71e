/** One compilation of one file: modules, variants, params, and the instances that everything else asks for. */
import { missingProperty } from "../diagnostics/catalog/properties.ts";
import { collect } from "../diagnostics/collect.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Registry } from "../kind.ts";
import type { Source, Span } from "../source/source.ts";
import { blockNames } from "../symbols/block-names.ts";
import { load, type Loaded } from "../symbols/load.ts";
import { sorted } from "../symbols/sorted.ts";
import type { BlockSymbol, Module, Symbol } from "../symbols/symbol.ts";
import type { File } from "../syntax/ast.ts";
import { type Value, type Valued } from "../types/value.ts";
import { builtins, environmentVariable } from "./expressions/builtins.ts";
import type { Context } from "./context.ts";
import { evaluate } from "./expressions/evaluate.ts";
import { declaredBlocks } from "./blocks/declared.ts";
import { derivation } from "./blocks/derive.ts";
import { enclosing, type Instance } from "./blocks/instance.ts";
import { holds } from "./judgement/holds.ts";
import { isSettled } from "./judgement/is-settled.ts";
import { makeProperty } from "./blocks/property.ts";
import type { Scope } from "./scope.ts";
import { isNaming } from "./declarations/is-naming.ts";
import { resolveBlock } from "./blocks/resolve-block.ts";
import { unused } from "./declarations/unused.ts";
import { secretNamedBy } from "./declarations/secret-named-by.ts";
import { settable } from "./variants/settable.ts";
import { valueOfSymbol } from "./declarations/symbol-value.ts";
import type { LayeredAmendment, Replacement } from "./variants/attach.ts";
import { layers } from "./variants/layers.ts";
import type { Variants } from "./variants/variants.ts";
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
  const { diagnostics, report: collected } = collect(loaded.diagnostics);
  const hearing: Context["hearing"] = { only: null };
  const report = (diagnostic: Diagnostic): void => {
    if (hearing.only === null || hearing.only(diagnostic)) collected(diagnostic);
  };
  const trail: Trail = [];
  const nameOf = blockNames(loaded);
  const values = new Map<Symbol, Valued>();
  const used = new Set<Symbol>();
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
    builtins: new Map([...builtins, ["env", environmentVariable(options.environment)]]),
    modules: loaded.modules,
    root: loaded.root,
    report,
    environment: options.environment,
    host: options.host,
    evaluate: (expression, scope, expected, what) => evaluate(expression, scope, expected, what, context),
    property: makeProperty(trail),
    instanceOf: (symbol) => declared.instanceOf(symbol),
    removed: (symbol) => {
      const value = replacements.get(symbol)?.statement.value;
      return value?.kind === "none" ? value.span : null;
    },
    saidInstead: (symbol) => replacements.get(symbol),
    symbolValue,
    resolve,
    isKindAround: (name, scope) => [...enclosing(scope.self)].some((block) => block.kind.name === name),
    calling: new Set(),
    branches: { passed: new Map(), taken: new Set() },
    away: [],
    expectations: new Map(),
    hearing,
    derive: derivation(),
  };

  function symbolValue(symbol: Exclude<Symbol, { kind: "block" | "namespace" }>, at: Span): Valued {
    const read = symbol.kind === "let" ? secretNamedBy(symbol) : symbol;
    const reads = read?.kind === "param" || (read?.kind === "secret" && !isNaming(read, at));
    if (reads && at !== symbol.name.span) used.add(read);
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

  const declared = declaredBlocks(context, nameOf, { amendments, replacements });

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
    declared.forget();
    return isPresent === true;
  }

  const blocks: Instance[] = [];
  const own = [...loaded.modules.values()].filter((m) => !m.path.startsWith("std/"));
  for (const module of own.sort((a, b) => Number(b === loaded.root) - Number(a === loaded.root))) {
    for (const symbol of sorted(module, registry).blocks) {
      const instance = declared.instanceOf(symbol);
      if (instance !== null && instance.symbol === symbol) blocks.push(instance);
    }
  }

  // Nothing else may ask for a block of the library that the file amends.
  const amendedLibrary = [...amendments].flatMap(([symbol, said]) => {
    const isAmended = symbol.module.path.startsWith("std/") && said.some(({ layer }) => layer === "file");
    const instance = symbol.kind === "block" && isAmended ? declared.instanceOf(symbol) : null;
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
        const block = symbol.kind === "block" ? declared.declare(symbol) : null;
        return block === null ? [] : [block];
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
      const unread = sorted(loaded.root, registry).values.filter(
        (each) =>
          (each.kind === "secret" || each.kind === "param") &&
          !used.has(each) &&
          values.get(each)?.value.kind !== "unknown",
      );
      if (unread.length === 0) return diagnostics;
      const isSet = (each: Symbol): boolean => sets.has(each);
      return [...diagnostics, ...unused(unread, { root: loaded.root, modules: loaded.modules, registry, isSet })];
    },
  };
  return program;
}
