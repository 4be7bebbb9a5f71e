/** Amendments in their order: file, then the preset, then overlays, then `--set`. */
import { conflictingVariants, unknownAmendment, unknownVariant } from "../diagnostics/catalog/names.ts";
import { setUnknown } from "../diagnostics/catalog/values.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { suggest } from "../diagnostics/suggest.ts";
import type { Span } from "../source/source.ts";
import type { Loaded } from "../symbols/load.ts";
import type { Amendment, BlockSymbol, Module, Symbol } from "../symbols/symbol.ts";
import type { Assign, Name, Path, Statement } from "../syntax/ast.ts";
import { parseExpression } from "../syntax/parse.ts";
import type { Context } from "./context.ts";
import type { Written } from "./instance.ts";
import type { Layer } from "./origin.ts";

/** What the command line chose. */
export interface Variants {
  readonly preset: string | null;
  /** Names of overlays of the root file. */
  readonly overlays: readonly string[];
  /** Files whose overlays are all laid over. */
  readonly overlayFiles: readonly string[];
  /** `--set NAME=TEXT`, in order. */
  readonly sets: readonly { readonly name: string; readonly text: string }[];
}

/** An amendment with the layer it belongs to; its path is what is left of it below what it amends. */
export interface LayeredAmendment extends Amendment {
  readonly layer: Layer;
}

/** `base = hybrid` in a preset: a param, or a whole block, stands for something else. */
export interface Replacement {
  readonly statement: Assign;
  readonly by: Written;
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
  for (const module of loaded.modules.values()) {
    for (const amendment of module.amendments) attach(amendment, "file", loaded, sink);
  }
  const ofKind = (module: Module, kind: string) =>
    [...module.names.values()].filter((s): s is BlockSymbol => s.kind === "block" && s.node.head[0].text === kind);

  const presets = ofKind(root, "preset");
  const named = variants.preset === null ? undefined : presets.find((p) => p.name.text === variants.preset);
  if (variants.preset !== null && named === undefined) complain("preset", variants.preset, presets, root, sink);
  const preset = named ?? (variants.preset === null ? presets.find((p) => sink.isPresent(p)) : undefined);
  if (preset !== undefined) lay(preset, "preset", loaded, sink);

  const overlays = ofKind(root, "overlay");
  const chosen: BlockSymbol[] = variants.overlayFiles.flatMap((path) => {
    const module = loaded.modules.get(path);
    return module === undefined ? [] : ofKind(module, "overlay").filter((o) => o.module === module);
  });
  for (const name of variants.overlays) {
    const overlay = overlays.find((o) => o.name.text === name);
    if (overlay === undefined) complain("overlay", name, overlays, root, sink);
    else chosen.push(overlay);
  }
  conflicts(chosen, sink);
  for (const overlay of chosen) lay(overlay, "overlay", loaded, sink);

  for (const set of variants.sets) {
    if (root.names.get(set.name)?.kind !== "param") attachSet(set, loaded, sink);
  }
}

function complain(kind: string, name: string, known: readonly BlockSymbol[], root: Module, sink: Sink): void {
  const span: Span = { source: root.file.source, start: 0, end: 0 };
  sink.report(unknownVariant(span, { kind, name }, { valid: known.map((k) => k.name.text) }));
}

function lay(variant: BlockSymbol, layer: Layer, loaded: Loaded, sink: Sink): void {
  for (const statement of variant.node.body ?? []) {
    if (statement.kind === "assign" && statement.target[0].text === "when") continue;
    if (statement.kind === "block" || statement.kind === "assign" || statement.kind === "bound") {
      attach({ statement, module: variant.module }, layer, loaded, sink);
    }
  }
}

/** Finds what an amendment speaks of; a kind word alone speaks of every concrete block of that kind. */
function attach(amendment: Amendment, layer: Layer, loaded: Loaded, sink: Sink): void {
  const { statement, module } = amendment;
  const path: Path = statement.kind === "block" ? statement.head : statement.target;
  const [head, ...rest] = path;
  const symbol = module.names.get(head.text);
  const next = rest[0];
  if (symbol === undefined || symbol.kind === "namespace") {
    const kind = sink.context.registry.kinds[head.text];
    if (layer !== "file" && kind !== undefined) {
      for (const target of everyBlock(loaded, head.text))
        push(target, strip(statement, next, rest), module, layer, sink);
      return;
    }
    // A kind without a name is told as such by `checkAmendments`.
    if (kind !== undefined) return;
    const details = suggest(head.span, head.text, [...module.names.keys()]);
    sink.report(unknownAmendment(head.span, { name: head.text }, details));
    return;
  }
  if (statement.kind === "assign" && next === undefined) {
    sink.replacements.set(symbol, { statement, by: { module, locals: new Map(), layer } });
    return;
  }
  push(symbol, strip(statement, next, rest), module, layer, sink);
}

function push(symbol: Symbol, statement: Amendment["statement"], module: Module, layer: Layer, sink: Sink): void {
  const list = sink.amendments.get(symbol) ?? [];
  list.push({ statement, module, layer });
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

function* everyBlock(loaded: Loaded, kind: string): Generator<BlockSymbol> {
  for (const module of loaded.modules.values()) {
    if (module.path.startsWith("std/")) continue;
    for (const symbol of module.names.values()) {
      if (
        symbol.kind === "block" &&
        symbol.module === module &&
        symbol.node.head[0].text === kind &&
        !symbol.node.abstract
      )
        yield symbol;
    }
  }
}

/** `--set pretrain.seed=7` amends a leaf of a block. */
function attachSet(set: { readonly name: string; readonly text: string }, loaded: Loaded, sink: Sink): void {
  const source = { path: `--set ${set.name}`, text: set.text };
  const span: Span = { source, start: 0, end: set.text.length };
  const [head, ...rest] = set.name.split(".");
  const symbol = head === undefined ? undefined : loaded.root.names.get(head);
  const names = rest.map((text): Name => ({ kind: "name", text, quoted: false, span }));
  const [next, ...others] = names;
  if (symbol === undefined || symbol.kind !== "block" || next === undefined) {
    const valid = [...loaded.root.names]
      .filter(([, s]) => s.kind === "param" || s.kind === "block")
      .map(([n, s]) => (s.kind === "param" ? n : `${n}.…`));
    sink.report(setUnknown(span, { name: set.name }, { valid: valid.sort() }));
    return;
  }
  const { expression, diagnostics } = parseExpression(source);
  for (const diagnostic of diagnostics) sink.report(diagnostic);
  push(
    symbol,
    { kind: "assign", doc: null, target: [next, ...others], value: expression, span },
    loaded.root,
    "set",
    sink,
  );
}

/** Two overlays that set one leaf differently. */
function conflicts(overlays: readonly BlockSymbol[], sink: Sink): void {
  const said = new Map<string, { readonly overlay: BlockSymbol; readonly text: string }>();
  for (const overlay of overlays) {
    for (const { path, statement } of leaves(overlay.node.body ?? [], "")) {
      const { span } = statement.value;
      const text = span.source.text.slice(span.start, span.end);
      const earlier = said.get(path);
      if (earlier !== undefined && earlier.overlay !== overlay && earlier.text !== text) {
        sink.report(
          conflictingVariants(statement.span, { path, first: earlier.overlay.name.text, second: overlay.name.text }),
        );
      }
      said.set(path, { overlay, text });
    }
  }
}

function* leaves(body: readonly Statement[], prefix: string): Generator<{ path: string; statement: Assign }> {
  for (const statement of body) {
    if (statement.kind === "assign")
      yield { path: `${prefix}${statement.target.map((n) => n.text).join(".")}`, statement };
    else if (statement.kind === "block")
      yield* leaves(statement.body ?? [], `${prefix}${statement.head.map((n) => n.text).join(".")}.`);
  }
}
