/** Amendments that no file says: `--set`, and the values of a point of a sweep. */
import { setAmbiguous, setUnknown } from "../../diagnostics/catalog/settings.ts";
import { inTable } from "../../in-table.ts";
import { isVariant } from "../../is-variant.ts";
import { knownAs, namedIn } from "../../symbols/known-as.ts";
import type { Loaded } from "../../symbols/load.ts";
import type { Module, ParamSymbol, Symbol } from "../../symbols/symbol.ts";
import type { Assign, Expression, Name } from "../../syntax/ast.ts";
import { parseExpression } from "../../syntax/parse.ts";
import type { Valued } from "../../types/value.ts";
import type { Instance } from "../blocks/instance.ts";
import type { Context } from "../context.ts";
import { attach, type Sink } from "./attach.ts";
import { pathTo, spanOfSet } from "./conflicts.ts";
import type { Variants } from "./variants.ts";

/** A preset or an overlay says nothing of itself: what it amends is set by the name of that. */
const hasLeaves = (symbol: Symbol, { registry }: Context): boolean =>
  symbol.kind === "block" && !isVariant(inTable(registry.kinds, symbol.node.head[0].text));

/** `--set pretrain.seed=7` amends a leaf of a block, `--set stage.seed=7` of every concrete stage. */
export function attachSet(
  set: Variants["sets"][number],
  loaded: Loaded,
  params: readonly string[],
  sink: Sink,
): void {
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

export function complainOfSeveral(set: Variants["sets"][number], params: readonly ParamSymbol[], sink: Sink): void {
  const files = params.map(({ module }) => module.path);
  const related = params.map(({ name }) => ({ message: "one of them", span: name.span }));
  sink.report(setAmbiguous(spanOfSet(set), { name: set.name, files }, { related }));
}

/** The value of a sweep's point: a name that only this amendment knows stands for it. */
export function attachValue(path: string, value: Valued, loaded: Loaded, sink: Sink): void {
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
