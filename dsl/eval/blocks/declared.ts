/** Blocks as their files declare them: what each extends, then its own body, then what amends it. */
import { extendsKind, valueCycle } from "../../diagnostics/catalog/names.ts";
import { inTable } from "../../in-table.ts";
import type { Type } from "../../kind.ts";
import type { BlockSymbol, Symbol } from "../../symbols/symbol.ts";
import type { Path } from "../../syntax/ast.ts";
import { conform } from "../../types/conform.ts";
import type { Context } from "../context.ts";
import { enter, leave } from "../expressions/nesting.ts";
import type { Scope } from "../scope.ts";
import type { LayeredAmendment, Replacement } from "../variants/attach.ts";
import type { Instance, Written } from "./instance.ts";
import { isRemoved } from "./is-removed.ts";
import { leaveOpen } from "./lost-base.ts";
import { applyBody, applyStatement } from "./merge.ts";
import { copyOf, newInstance } from "./new-instance.ts";
import { refuseKind } from "./refuse-kind.ts";

export interface DeclaredBlocks {
  /** What a block's name stands for: the block as it is declared, or what a variant says in its place; `null` where neither can be made. */
  readonly instanceOf: (symbol: BlockSymbol) => Instance | null;
  /** The block as it is declared, whatever a variant says. */
  readonly declare: (symbol: BlockSymbol) => Instance | null;
  /** Blocks that were looked at before all that amends them was known are made again. */
  readonly forget: () => void;
}

/** What variants say of declarations. */
export interface Said {
  readonly amendments: ReadonlyMap<Symbol, readonly LayeredAmendment[]>;
  readonly replacements: ReadonlyMap<Symbol, Replacement>;
}

export function declaredBlocks(
  context: Context,
  nameOf: (symbol: BlockSymbol) => string,
  { amendments, replacements }: Said,
): DeclaredBlocks {
  const { registry, report, resolve } = context;
  const instances = new Map<BlockSymbol, Instance | null>();
  const extending: BlockSymbol[] = [];

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

  return { instanceOf, declare, forget: () => instances.clear() };
}
