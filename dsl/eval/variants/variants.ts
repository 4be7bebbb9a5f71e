/** Amendments in their order: file, then the preset, then overlays, then `--set`. */
import { misplaced, severalPresets, unknownKind, unknownVariant } from "../../diagnostics/catalog/names.ts";
import { setAmbiguous, setUnknown } from "../../diagnostics/catalog/settings.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { nearest } from "../../diagnostics/nearest.ts";
import { ofCommandLine } from "../../source/source.ts";
import type { Loaded } from "../../symbols/load.ts";
import type { Amendment, BlockSymbol, Module, ParamSymbol, Symbol } from "../../symbols/symbol.ts";
import type { Assign, Expression, Name, Path, Statement } from "../../syntax/ast.ts";
import { parseExpression } from "../../syntax/parse.ts";
import { everyBlock, everyDeclared, kindsDeclared, theParam } from "../blocks/amended-names.ts";
import { type Overlay, overlayConflicts, pathTo, setConflicts, spanOfSet } from "./conflicts.ts";
import type { Context } from "../context.ts";
import type { Valued } from "../../types/value.ts";
import type { Instance, Written } from "../blocks/instance.ts";
import type { Layer } from "../origin.ts";
import { knownAs, namedIn } from "../../symbols/known-as.ts";
import { settable } from "./settable.ts";
import { inTable } from "../../in-table.ts";
import { isVariant } from "../../is-variant.ts";
import { notAmendable } from "./not-amendable.ts";
import { isPromised } from "../../symbols/is-promised.ts";
import { kindAmended, noneOfKind, undeclared } from "./kind-amended.ts";
import { variantNamed, variantNames, variantsOf } from "./variants-of.ts";
import { article } from "../../diagnostics/article.ts";

/** What the command line chose. */
export interface Variants {
  readonly preset: string | null;
  /** Names of overlays of the root file. */
  readonly overlays: readonly string[];
  /** Files whose overlays are all laid over. */
  readonly overlayFiles: readonly string[];
  /** `--set NAME=TEXT`, in order. */
  readonly sets: readonly { readonly name: string; readonly text: string }[];
  /** Amendments of one trial (a `test`), on top of everything. */
  readonly trial?: readonly Statement[];
  /** Values of one trial (a point of a sweep), by the paths of amendments; on top of `--set`. */
  readonly values?: readonly PathValue[];
}

export interface PathValue {
  readonly path: string;
  readonly value: Valued;
}

/** An amendment with the layer it belongs to; its path is what is left of it below what it amends. */
export interface LayeredAmendment extends Amendment {
  readonly layer: Layer;
}

/** `base = hybrid` in a preset: a param, or a whole block, stands for something else. */
export interface Replacement {
  readonly statement: Assign;
  readonly by: Written;
  /** What a layer beneath says of it. */
  readonly over: Replacement | undefined;
}

interface Sink {
  readonly context: Context;
  readonly amendments: Map<Symbol, LayeredAmendment[]>;
  readonly replacements: Map<Symbol, Replacement>;
  readonly report: (diagnostic: Diagnostic) => void;
  readonly isPresent: (preset: BlockSymbol) => boolean;
}

export function layers(loaded: Loaded, variants: Variants, sink: Sink): void {
  const { root } = loaded;
  const laidOver = new Set(variants.overlayFiles);
  // An imported file amends only what it declares itself, and whoever imports it has the last word.
  for (const module of [...loaded.modules.values()].sort((a, b) => Number(a === root) - Number(b === root))) {
    if (laidOver.has(module.path) && module !== root) continue;
    for (const amendment of module.amendments) attach(amendment, "file", loaded, sink);
  }

  const presets = variantsOf(root, "preset", sink.context.registry);
  // A `when` speaks of params as they are in the end, and what is above a preset may say them.
  if (variants.preset === null && presets.length > 0)
    above(loaded, variants, { ...sink, amendments: new Map(), report: () => undefined });
  const preset = chosenPreset(presets, variants, root, sink);
  if (preset !== undefined) lay(preset, "preset", loaded, sink);
  above(loaded, variants, sink);
}

/** What is laid over a preset: overlays, then `--set`, then the values of a trial. */
function above(loaded: Loaded, variants: Variants, sink: Sink): void {
  const { root } = loaded;
  const chosen: Overlay[] = variants.overlayFiles.flatMap((path) => {
    const module = loaded.modules.get(path);
    if (module === undefined || module === root) return [];
    const declared = variantsOf(module, "overlay", sink.context.registry).filter(
      (overlay) => overlay.module === module,
    );
    const bare = { name: path, statements: module.amendments.map((a) => a.statement), module };
    return [bare, ...declared.map(overlayOf)];
  });
  for (const name of variants.overlays) {
    const overlay = variantNamed(name, ofCommandLine("--with", name), root, "overlay", sink.context.registry);
    if (overlay === undefined) complain("overlay", name, root, sink);
    else chosen.push(overlayOf(overlay));
  }
  overlayConflicts(chosen, loaded, sink);
  for (const { statements, module } of chosen) layAll(statements, module, "overlay", loaded, sink);

  const params = settable(loaded);
  setConflicts(variants.sets, params, loaded, sink);
  for (const set of variants.sets) {
    const [param, ...others] = params.get(set.name) ?? [];
    if (param === undefined) attachSet(set, loaded, [...params.keys()], sink);
    else if (others.length > 0) complainOfSeveral(set, [param, ...others], sink);
  }
  for (const { path, value } of variants.values ?? []) attachValue(path, value, loaded, sink);
  layAll(variants.trial ?? [], root, "set", loaded, sink);
}

const overlayOf = (symbol: BlockSymbol): Overlay => ({
  name: symbol.name.text,
  statements: symbol.node.body ?? [],
  module: symbol.module,
});

function chosenPreset(
  presets: readonly BlockSymbol[],
  variants: Variants,
  root: Module,
  sink: Sink,
): BlockSymbol | undefined {
  if (variants.preset !== null) {
    const at = ofCommandLine("--preset", variants.preset);
    const named = variantNamed(variants.preset, at, root, "preset", sink.context.registry);
    if (named === undefined) complain("preset", variants.preset, root, sink);
    return named;
  }
  const [first, second] = presets.filter((p) => sink.isPresent(p));
  if (first !== undefined && second !== undefined) {
    const related = [{ message: "this one too", span: first.name.span }];
    sink.report(severalPresets(second.name.span, { first: first.name.text, second: second.name.text }, { related }));
  }
  return first;
}

function complain(kind: "preset" | "overlay", name: string, root: Module, sink: Sink): void {
  const valid = variantNames(root, kind, sink.context.registry);
  const span = ofCommandLine(kind === "preset" ? "--preset" : "--with", name);
  const slots = { kind, name, near: nearest(name, valid), declared: valid.length > 0 };
  sink.report(unknownVariant(span, slots, { valid }));
}

function lay(variant: BlockSymbol, layer: Layer, loaded: Loaded, sink: Sink): void {
  layAll(variant.node.body ?? [], variant.module, layer, loaded, sink);
}

function layAll(statements: readonly Statement[], module: Module, layer: Layer, loaded: Loaded, sink: Sink): void {
  for (const statement of statements) {
    if (statement.kind === "assign" && statement.target[0].text === "when") continue;
    const amends = statement.kind === "assign" || statement.kind === "bound" || statement.kind === "block";
    if (amends && (statement.kind !== "block" || statement.name === null)) {
      attach({ statement, module }, layer, loaded, sink);
    } else {
      const what =
        statement.kind === "block"
          ? `a declaration (\`${statement.head[0].text} ${statement.name?.text ?? ""}\`)`
          : `\`${statement.kind}\``;
      sink.report(
        misplaced(statement.span, { what, where: `in ${article(layer)}: it can only amend declared blocks` }),
      );
    }
  }
}

/** Finds what an amendment speaks of; a kind word alone speaks of every concrete block of that kind. */
function attach(amendment: Amendment, layer: Layer, loaded: Loaded, sink: Sink): void {
  const { statement, module } = amendment;
  const { path, symbol, names } = namedIn(statement.kind === "block" ? statement.head : statement.target, module);
  const [head, ...rest] = path;
  const next = rest[0];
  const replace = (named: Symbol): void => {
    if (statement.kind !== "assign") return;
    const by: Written = { module, locals: amendment.locals ?? new Map(), layer };
    sink.replacements.set(named, { statement, by, over: sink.replacements.get(named) });
  };
  if (statement.kind === "bound" && next === undefined) {
    const where = "outside of a block: it limits a property";
    sink.report(misplaced(statement.span, { what: `a bound of \`${head.text}\``, where }));
    return;
  }
  if (symbol === undefined || symbol.kind === "namespace") {
    const kind = inTable(sink.context.registry.kinds, head.text);
    if (layer !== "file" && kind !== undefined && statement.kind === "assign" && next === undefined) {
      const where = `in ${article(layer)}: to amend every ${head.text}, write \`${head.text} { … }\``;
      sink.report(misplaced(statement.span, { what: `\`${head.text} = …\``, where }));
      return;
    }
    if (layer !== "file" && kind !== undefined) {
      const targets = [...everyBlock(loaded.modules, head.text)];
      for (const target of targets)
        push(target, { ...amendment, statement: strip(statement, next, rest) }, layer, sink);
      // What is imported is written for many files, one that holds variants alone is laid over others, and a template stands for
      // the blocks of those that extend it.
      const isMissing = targets.length === 0 && everyDeclared(loaded.modules, head.text).next().done === true;
      if (isMissing && module === loaded.root) {
        const declared = kindsDeclared(loaded.modules, sink.context.registry);
        if (declared.length > 0) sink.report(noneOfKind(statement, head, declared, sink.context.registry));
      }
      return;
    }
    // A kind without a name is told as such by `checkAmendments`.
    if (kind !== undefined && statement.kind === "block" && next === undefined) return;
    if (kind !== undefined) return sink.report(kindAmended(head, [...names.values()]));
    const param = layer === "file" ? null : theParam(loaded.modules, head.text);
    if (param !== null && statement.kind === "assign" && next === undefined) {
      replace(param);
      return;
    }
    const inside = Object.values(sink.context.registry.kinds).filter(({ blocks }) => head.text in (blocks ?? {}));
    if (inside.length > 0 && layer === "file" && statement.kind === "block" && !names.has(head.text)) {
      sink.report(unknownKind(head.span, { kind: head.text, inside: inside.map(({ name }) => name) }));
      return;
    }
    // An import that failed would have declared it.
    if (symbol === undefined && isPromised(head.text, module.file)) return;
    sink.report(undeclared(statement, head, [...names.keys()], sink.context.registry));
    return;
  }
  const refused = layer === "file" ? null : notAmendable(statement, symbol, next !== undefined, layer);
  if (refused !== null) return sink.report(refused);
  if (layer === "file" && module !== loaded.root && symbol.module !== module) {
    const where = "in an imported file: an import only brings names";
    const word = symbol.kind === "block" ? symbol.node.head[0].text : symbol.kind;
    const copy =
      symbol.kind === "block"
        ? `, or declare a block of its own here, \`${word} my_${symbol.name.text} extends ${head.text} { … }\``
        : "";
    const fix = `Put it into an overlay or into the file that you check${copy}.`;
    sink.report(misplaced(head.span, { what: `an amendment of the imported \`${head.text}\``, where }, { fix }));
    return;
  }
  if (statement.kind === "assign" && next === undefined) {
    replace(symbol);
    return;
  }
  push(symbol, { ...amendment, statement: strip(statement, next, rest) }, layer, sink);
}

function push(symbol: Symbol, amendment: Amendment, layer: Layer, sink: Sink): void {
  const list = sink.amendments.get(symbol) ?? [];
  list.push({ ...amendment, layer });
  sink.amendments.set(symbol, list);
}

/** The statement as the amended block sees it: without its own name in front. */
function strip(
  statement: Amendment["statement"],
  next: Name | undefined,
  rest: readonly Name[],
): Amendment["statement"] {
  const path = (next === undefined ? [] : [next, ...rest.slice(1)]) as unknown as Path;
  return statement.kind === "block" ? { ...statement, head: path } : { ...statement, target: path };
}

/** A preset or an overlay says nothing of itself: what it amends is set by the name of that. */
const hasLeaves = (symbol: Symbol, { registry }: Context): boolean =>
  symbol.kind === "block" && !isVariant(inTable(registry.kinds, symbol.node.head[0].text));

/** `--set pretrain.seed=7` amends a leaf of a block, `--set stage.seed=7` of every concrete stage. */
function attachSet(set: Variants["sets"][number], loaded: Loaded, params: readonly string[], sink: Sink): void {
  const span = spanOfSet(set);
  const { source } = span;
  const written = pathTo(set.name, span);
  const { path, symbol } = namedIn(written, loaded.root);
  const kind = path === written && symbol === undefined && inTable(sink.context.registry.kinds, path[0].text);
  const isKind = kind && kind.variant !== true;
  if (!(isKind || (symbol !== undefined && hasLeaves(symbol, sink.context))) || path.length === 1) {
    const blocks = [...loaded.root.names].flatMap(([n, s]) => (hasLeaves(s, sink.context) ? [`${n}.…`] : []));
    sink.report(setUnknown(span, { name: set.name }, { valid: [...params, ...blocks].sort() }));
    return;
  }
  const { expression, diagnostics } = parseExpression(source);
  for (const diagnostic of diagnostics) sink.report(diagnostic);
  const statement: Assign = { kind: "assign", doc: null, target: written, value: expression, span };
  attach({ statement, module: loaded.root }, "set", loaded, sink);
}

function complainOfSeveral(set: Variants["sets"][number], params: readonly ParamSymbol[], sink: Sink): void {
  const files = params.map(({ module }) => module.path);
  const related = params.map(({ name }) => ({ message: "one of them", span: name.span }));
  sink.report(setAmbiguous(spanOfSet(set), { name: set.name, files }, { related }));
}

/** The value of a sweep's point: a name that only this amendment knows stands for it. */
function attachValue(path: string, value: Valued, loaded: Loaded, sink: Sink): void {
  const { span } = value;
  const name: Name = { kind: "name", text: "the value", quoted: true, span };
  const block = value.value.kind === "block" ? value.value.block : null;
  const reference = block === null ? referenceTo([name]) : referenceTo(namesOf(block, loaded.root, name));
  const statement: Assign = { kind: "assign", doc: null, target: pathTo(path, span), value: reference, span };
  const locals = block === null ? new Map([[name.text, value]]) : new Map<string, Valued>();
  attach({ statement, module: loaded.root, locals }, "set", loaded, sink);
}

/** A block of another program is found again by the name that the file has for it. */
function namesOf({ symbol, name }: Instance, root: Module, like: Name): readonly [Name, ...Name[]] {
  const [head, ...rest] = symbol === null ? [name ?? ""] : knownAs(symbol, root);
  const named = (text: string): Name => ({ ...like, text });
  return [named(head), ...rest.map(named)];
}

function referenceTo([head, ...rest]: readonly [Name, ...Name[]]): Expression {
  const first: Expression = { kind: "reference", name: head, span: head.span };
  return rest.reduce(
    (object: Expression, name): Expression => ({ kind: "member", object, name, span: name.span }),
    first,
  );
}
