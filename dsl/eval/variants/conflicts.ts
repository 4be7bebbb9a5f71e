/** What overlays, or options, say of one leaf: none of them comes first. */
import { conflictingVariants } from "../../diagnostics/catalog/names.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Span } from "../../source/source.ts";
import type { Loaded } from "../../symbols/load.ts";
import type { Module, ParamSymbol } from "../../symbols/symbol.ts";
import type { Assign, Name, Path, Statement } from "../../syntax/ast.ts";
import { amendedHeads } from "../blocks/amended-names.ts";
import type { Context } from "../context.ts";
import { type Leaf, leavesOf, meets } from "../blocks/leaves.ts";
import type { Variants } from "./variants.ts";

interface Sink {
  readonly context: Context;
  readonly report: (diagnostic: Diagnostic) => void;
}

/** What `--with` lays over: a declared overlay, or the bare amendments of a file. */
export interface Overlay {
  readonly name: string;
  readonly statements: readonly Statement[];
  readonly module: Module;
}

/** Two overlays that say different things of one leaf, or of a leaf and what it belongs to. */
export function overlayConflicts(overlays: readonly Overlay[], loaded: Loaded, sink: Sink): void {
  const said: { readonly overlay: Overlay; readonly leaf: Leaf }[] = [];
  /** What amends every block of a kind says one thing of all of them. */
  const told = new Set<string>();
  for (const overlay of overlays) {
    for (const leaf of overlay.statements.flatMap((s) =>
      leavesOf(s, amendedHeads(s, overlay.module, sink.context.registry, loaded.modules)),
    )) {
      const other = said.find((s) => s.overlay !== overlay && meets(s.leaf, leaf) && s.leaf.text !== leaf.text);
      const place = `${leaf.span.source.path}\0${leaf.span.start}\0${other?.leaf.span.start}`;
      if (other !== undefined && !told.has(place)) {
        told.add(place);
        const slots = { what: "overlays", path: leaf.path, first: other.overlay.name, second: overlay.name };
        const related = [{ message: `what \`${other.overlay.name}\` says`, span: other.leaf.span }];
        sink.report(conflictingVariants(leaf.span, slots, { related }));
      }
      said.push({ overlay, leaf });
    }
  }
}

/** `--set pre.seed=1 --set stage.seed=2`: which of them comes first decides nothing. */
export function setConflicts(
  sets: Variants["sets"],
  params: ReadonlyMap<string, readonly ParamSymbol[]>,
  loaded: Loaded,
  sink: Sink,
): void {
  const said: { readonly name: string; readonly leaf: Leaf }[] = [];
  const given = new Map<ParamSymbol, Variants["sets"][number]>();
  const conflict = (set: Variants["sets"][number], other: string, path: string): void => {
    const slots = { what: "options", path, first: `--set ${other}`, second: `--set ${set.name}` };
    sink.report(conflictingVariants(spanOfSet(set), slots, { fix: "Leave one of the two out." }));
  };
  for (const set of sets) {
    const span = spanOfSet(set);
    const [param] = params.get(set.name) ?? [];
    if (param !== undefined) {
      const other = given.get(param);
      given.set(param, set);
      if (other !== undefined && other.text !== set.text) conflict(set, other.name, set.name);
      continue;
    }
    const value = { kind: "missing" as const, span };
    const statement: Assign = { kind: "assign", doc: null, target: pathTo(set.name, span), value, span };
    const heads = amendedHeads(statement, loaded.root, sink.context.registry, loaded.modules);
    for (const leaf of leavesOf(statement, heads)) {
      const other = said.find(({ name, leaf: l }) => name !== set.name && meets(l, leaf) && l.text !== leaf.text);
      if (other !== undefined) conflict(set, other.name, leaf.path);
      said.push({ name: set.name, leaf });
    }
  }
}

export const spanOfSet = ({ name, text }: Variants["sets"][number]): Span => ({
  source: { path: `--set ${name}`, text },
  start: 0,
  end: text.length,
});

export const pathTo = (path: string, span: Span): Path => {
  const [head = "", ...rest] = path.split(".");
  const named = (text: string): Name => ({ kind: "name", text, quoted: false, span });
  return [named(head), ...rest.map(named)];
};
