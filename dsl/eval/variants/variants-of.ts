/** Presets and overlays by the names that a file has for them. */
import type { Registry } from "../../kind.ts";
import type { Span } from "../../source/source.ts";
import { knownAs, namedIn } from "../../symbols/known-as.ts";
import { sorted } from "../../symbols/sorted.ts";
import type { BlockSymbol, Module } from "../../symbols/symbol.ts";
import { pathTo } from "./conflicts.ts";

type VariantKind = "preset" | "overlay";

/** The presets or overlays that a file knows by name. */
export function variantsOf(module: Module, kind: VariantKind, registry: Registry): readonly BlockSymbol[] {
  return sorted(module, registry).known.get(kind) ?? [];
}

/** What a file calls them, those of files that it imports as a whole too: `lib.short`. */
export function variantNames(module: Module, kind: VariantKind, registry: Registry): string[] {
  const behind = [...module.names.values()].flatMap((symbol) =>
    symbol.kind === "namespace"
      ? variantsOf(symbol.of, kind, registry).filter((variant) => variant.module === symbol.of)
      : [],
  );
  const all = [...variantsOf(module, kind, registry), ...behind];
  return [...new Set(all.map((variant) => knownAs(variant, module).join(".")))].sort();
}

/** As the file calls it (`short`, `s` where it is imported so, `lib.short`), else as it calls itself where it is declared. */
export function variantNamed(
  name: string,
  at: Span,
  module: Module,
  kind: VariantKind,
  registry: Registry,
): BlockSymbol | undefined {
  const { path, symbol } = namedIn(pathTo(name, at), module);
  if (path.length === 1 && symbol?.kind === "block" && symbol.node.head[0].text === kind) return symbol;
  return variantsOf(module, kind, registry).find((known) => known.name.text === name);
}
