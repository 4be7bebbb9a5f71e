/** Amendments in their order: file, then the preset, then overlays, then `--set`. */
import { article } from "../../diagnostics/article.ts";
import { misplaced, severalPresets, unknownVariant } from "../../diagnostics/catalog/names.ts";
import { nearest } from "../../diagnostics/nearest.ts";
import { ofCommandLine } from "../../source/source.ts";
import type { Loaded } from "../../symbols/load.ts";
import type { BlockSymbol, Module } from "../../symbols/symbol.ts";
import type { Statement } from "../../syntax/ast.ts";
import type { Layer } from "../origin.ts";
import { attach, type Sink } from "./attach.ts";
import { type Overlay, overlayConflicts, setConflicts } from "./conflicts.ts";
import { attachSet, attachValue, complainOfSeveral } from "./settings.ts";
import { settable } from "./settable.ts";
import type { Variants } from "./variants.ts";
import { variantNamed, variantNames, variantsOf } from "./variants-of.ts";

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
