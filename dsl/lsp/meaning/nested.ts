/** Blocks that are declared inside a declared block, its groups and its parents; what a parent declares too is the parent's. */
import type { BlockKind, Registry } from "../../kind.ts";
import type { Span } from "../../source/source.ts";
import type { Symbol } from "../../symbols/symbol.ts";
import type { Statement } from "../../syntax/ast.ts";
import { kindOf, symbolOf, textsOf } from "./kinds.ts";
import { inTable } from "../../in-table.ts";

export interface Nested {
  readonly block: BlockKind;
  readonly declaration: Span;
  readonly name: string;
}

export function nestedIn(symbol: Symbol, registry: Registry, seen: readonly Symbol[] = []): readonly Nested[] {
  const kind = kindOf(symbol, registry);
  if (symbol.kind !== "block" || kind === null || seen.includes(symbol)) return [];
  const { extends: above, body } = symbol.node;
  const parent = above === null ? null : symbolOf(textsOf(above), symbol.module);
  const inherited = parent === null ? [] : nestedIn(parent.symbol, registry, [...seen, symbol]);
  return [...inherited, ...declaredIn(body ?? [], kind)];
}

/** The one that a name means in a block of a kind: its own kind's before one of a block around it. */
export function nestedNamed(all: readonly Nested[], name: string, at: BlockKind | null): Nested | undefined {
  const named = all.filter((one) => one.name === name);
  const own = Object.values(at?.nested ?? {});
  return named.find(({ block }) => own.includes(block)) ?? named[0];
}

function declaredIn(body: readonly Statement[], kind: BlockKind): readonly Nested[] {
  return body.flatMap((statement): readonly Nested[] => {
    if (statement.kind !== "block") return [];
    const { head, name, body: inner } = statement;
    const block = name === null ? inTable(kind.blocks, head[0].text) : inTable(kind.nested, head[0].text);
    if (block === undefined) return [];
    const own = name === null ? [] : [{ block, declaration: name.span, name: name.text }];
    return [...own, ...declaredIn(inner ?? [], block)];
  });
}
