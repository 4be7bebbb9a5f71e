import type { BlockKind } from "../../kind.ts";
import type { Span } from "../../source/source.ts";
import type { BlockSymbol, Module } from "../../symbols/symbol.ts";
import type { Assert, Bound, Expect, Expression, Param, Path, Statement } from "../../syntax/ast.ts";
import type { Valued } from "../../types/value.ts";
import type { Context } from "../context.ts";
import type { Layer } from "../origin.ts";
import type { Scope } from "../scope.ts";

/** Where a statement came from: what its names mean, and which layer it belongs to. */
export interface Written {
  readonly module: Module;
  readonly locals: Scope["locals"];
  readonly layer: Layer;
}

/** A value as it was last written, with the leaves that were amended afterwards. */
export interface ValueEntry {
  readonly kind: "value";
  readonly expression: Expression;
  /** The name before `=`. */
  readonly nameSpan: Span;
  readonly by: Written;
  readonly patches: readonly Patch[];
}

export interface Patch {
  readonly path: readonly string[];
  readonly expression: Expression;
  readonly nameSpan: Span;
  readonly by: Written;
}

/** A block after inheritance and amendments: what it finally says, still unevaluated (binding is late). */
export interface Instance {
  readonly kind: BlockKind;
  /** `null` for a group of settings (`layout`). */
  readonly name: string | null;
  readonly parent: Instance | null;
  readonly span: Span;
  readonly abstract: boolean;
  readonly symbol: BlockSymbol | null;
  readonly values: Map<string, ValueEntry>;
  /** Groups of settings and nested declarations, by name. */
  readonly blocks: Map<string, Instance>;
  readonly bounds: { readonly node: Bound; readonly by: Written }[];
  readonly checks: { readonly node: Assert | Expect; readonly by: Written }[];
  /** Parameters of the constructor that it declares. */
  readonly params: Map<string, { readonly node: Param; readonly by: Written }>;
  /** What it says of the block around it (`amends`), and the bounds of a `vary`. */
  readonly amendments: { readonly node: Statement; readonly by: Written }[];
  readonly clauses: {
    on: { readonly path: Path; readonly module: Module } | null;
    after: readonly { readonly path: Path; readonly module: Module }[];
  };
  /** Names that it does not know, and that may each have been meant for one that it needs. */
  readonly strangers: Set<string>;
  /** Arguments that it says as if they were its own: a call in it need not say them as well. */
  strangeArguments?: Set<string>;
  /** Groups of settings that it does not know: any of them may have been meant for one that it lacks. */
  readonly strangeGroups: Set<string>;
  /** Header and `when` were written; a group that only exists through its defaults is not. */
  readonly context: Context;
  readonly evaluated: Map<string, Valued>;
}

/** `stage pretrain`, `layout of stage pretrain`. */
export function describeInstance(instance: Instance): string {
  if (instance.name === null) return `\`${instance.kind.name}\``;
  // A copy (`with`) has a name of its own that nobody wrote.
  return `${instance.kind.name} \`${instance.symbol?.name.text ?? instance.name}\``;
}

/** `pretrain.layout`: how `explain` and `--set` name it. */
export function pathOf(instance: Instance): string {
  const own = instance.name ?? instance.kind.name;
  return instance.parent === null ? own : `${pathOf(instance.parent)}.${own}`;
}

/** The blocks around a place, from the inside out. */
export function* enclosing(instance: Instance | null): Generator<Instance> {
  for (let at = instance; at !== null; at = at.parent) yield at;
}
