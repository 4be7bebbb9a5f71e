import type { BlockKind } from "../../kind.ts";
import type { Span } from "../../source/source.ts";
import type { BlockSymbol } from "../../symbols/symbol.ts";
import type { Context } from "../context.ts";
import type { Instance } from "./instance.ts";

/** A block that says nothing yet. */
export function newInstance(
  kind: BlockKind,
  name: string | null,
  parent: Instance | null,
  span: Span,
  context: Context,
  options: { readonly abstract?: boolean; readonly symbol?: BlockSymbol | null } = {},
): Instance {
  return {
    kind,
    name,
    parent,
    span,
    abstract: options.abstract ?? false,
    symbol: options.symbol ?? null,
    values: new Map(),
    blocks: new Map(),
    bounds: [],
    checks: [],
    params: new Map(),
    amendments: [],
    clauses: { on: null, after: [] },
    strangers: new Set(),
    strangeGroups: new Set(),
    context,
    evaluated: new Map(),
  };
}

interface Header {
  readonly name: string | null;
  readonly span: Span;
  readonly abstract: boolean;
  readonly symbol: BlockSymbol | null;
}

/** A block that says what another one says, to be said more. Nothing is evaluated yet: expressions will see the copy. */
export function copyOf(base: Instance, header: Header, parent: Instance | null = base.parent): Instance {
  const copy: Instance = {
    ...newInstance(base.kind, header.name, parent, header.span, base.context, header),
    values: new Map(base.values),
    bounds: [...base.bounds],
    checks: [...base.checks],
    params: new Map(base.params),
    amendments: [...base.amendments],
    clauses: { ...base.clauses },
    strangers: new Set(base.strangers),
    strangeGroups: new Set(base.strangeGroups),
    ...(base.strangeArguments === undefined ? {} : { strangeArguments: base.strangeArguments }),
  };
  for (const [name, child] of base.blocks) copy.blocks.set(name, copyOf(child, child, copy));
  return copy;
}
