/** Amendments find what they speak of. */
import { article } from "../../diagnostics/article.ts";
import { misplaced, unknownKind } from "../../diagnostics/catalog/names.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { inTable } from "../../in-table.ts";
import { isPromised } from "../../symbols/is-promised.ts";
import { namedIn } from "../../symbols/known-as.ts";
import type { Loaded } from "../../symbols/load.ts";
import type { Amendment, BlockSymbol, Symbol } from "../../symbols/symbol.ts";
import type { Assign, Name, Path } from "../../syntax/ast.ts";
import { everyBlock, everyDeclared, kindsDeclared, theParam } from "../blocks/amended-names.ts";
import type { Written } from "../blocks/instance.ts";
import type { Context } from "../context.ts";
import type { Layer } from "../origin.ts";
import { kindAmended, noneOfKind, undeclared } from "./kind-amended.ts";
import { notAmendable } from "./not-amendable.ts";

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

export interface Sink {
  readonly context: Context;
  readonly amendments: Map<Symbol, LayeredAmendment[]>;
  readonly replacements: Map<Symbol, Replacement>;
  readonly report: (diagnostic: Diagnostic) => void;
  readonly isPresent: (preset: BlockSymbol) => boolean;
}

/** An amendment in a layer, with the path that it was found by. */
interface Attached {
  readonly amendment: Amendment;
  readonly head: Name;
  readonly rest: readonly Name[];
  readonly layer: Layer;
  readonly loaded: Loaded;
  readonly sink: Sink;
}

/** Finds what an amendment speaks of; a kind word alone speaks of every concrete block of that kind. */
export function attach(amendment: Amendment, layer: Layer, loaded: Loaded, sink: Sink): void {
  const { statement, module } = amendment;
  const { path, symbol, names } = namedIn(statement.kind === "block" ? statement.head : statement.target, module);
  const [head, ...rest] = path;
  const attached: Attached = { amendment, head, rest, layer, loaded, sink };
  if (statement.kind === "bound" && rest.length === 0) {
    const where = "outside of a block: it limits a property";
    sink.report(misplaced(statement.span, { what: `a bound of \`${head.text}\``, where }));
  } else if (symbol !== undefined && symbol.kind !== "namespace") attachTo(symbol, attached);
  else if (inTable(sink.context.registry.kinds, head.text) !== undefined) attachToKind(attached, names);
  else attachToUnknown(attached, symbol, names);
}

function attachTo(symbol: Symbol, attached: Attached): void {
  const { amendment, head, rest, layer, loaded, sink } = attached;
  const { statement, module } = amendment;
  const refused = layer === "file" ? null : notAmendable(statement, symbol, rest.length > 0, layer);
  if (refused !== null) sink.report(refused);
  else if (layer === "file" && module !== loaded.root && symbol.module !== module)
    sink.report(ofImported(symbol, head));
  else if (statement.kind === "assign" && rest.length === 0) replace(symbol, statement, attached);
  else push(symbol, attached);
}

function ofImported(symbol: Symbol, head: Name): Diagnostic {
  const where = "in an imported file: an import only brings names";
  const copy =
    symbol.kind === "block"
      ? `, or declare a block of its own here, \`${symbol.node.head[0].text} my_${symbol.name.text} extends ${head.text} { … }\``
      : "";
  const fix = `Put it into an overlay or into the file that you check${copy}.`;
  return misplaced(head.span, { what: `an amendment of the imported \`${head.text}\``, where }, { fix });
}

/** `eval { every = 5 steps }`: in a variant it speaks of every concrete eval, in a file of none. */
function attachToKind(attached: Attached, names: ReadonlyMap<string, Symbol>): void {
  const { amendment, head, rest, layer, loaded, sink } = attached;
  const { statement, module } = amendment;
  const { registry } = sink.context;
  if (layer === "file") {
    // A kind without a name is told as such by `checkAmendments`.
    if (statement.kind !== "block" || rest.length > 0) sink.report(kindAmended(head, [...names.values()]));
    return;
  }
  if (statement.kind === "assign" && rest.length === 0) {
    const where = `in ${article(layer)}: to amend every ${head.text}, write \`${head.text} { … }\``;
    sink.report(misplaced(statement.span, { what: `\`${head.text} = …\``, where }));
    return;
  }
  const targets = [...everyBlock(loaded.modules, head.text)];
  for (const target of targets) push(target, attached);
  // What is imported is written for many files, one that holds variants alone is laid over others, and a template stands for
  // the blocks of those that extend it.
  const isMissing = targets.length === 0 && everyDeclared(loaded.modules, head.text).next().done === true;
  if (!isMissing || module !== loaded.root) return;
  const declared = kindsDeclared(loaded.modules, registry);
  if (declared.length > 0) sink.report(noneOfKind(statement, head, declared, registry));
}

/** A param of an imported file, which a variant sets by its own name; or a name that nothing has. */
function attachToUnknown(attached: Attached, symbol: Symbol | undefined, names: ReadonlyMap<string, Symbol>): void {
  const { amendment, head, rest, layer, loaded, sink } = attached;
  const { statement, module } = amendment;
  const { registry } = sink.context;
  const param = layer === "file" ? null : theParam(loaded.modules, head.text);
  if (param !== null && statement.kind === "assign" && rest.length === 0) {
    replace(param, statement, attached);
    return;
  }
  const inside = Object.values(registry.kinds).filter(({ blocks }) => head.text in (blocks ?? {}));
  if (inside.length > 0 && layer === "file" && statement.kind === "block" && !names.has(head.text)) {
    sink.report(unknownKind(head.span, { kind: head.text, inside: inside.map(({ name }) => name) }));
    return;
  }
  // An import that failed would have declared it.
  if (symbol === undefined && isPromised(head.text, module.file)) return;
  sink.report(undeclared(statement, head, [...names.keys()], registry));
}

function replace(symbol: Symbol, statement: Assign, { amendment, layer, sink }: Attached): void {
  const by: Written = { module: amendment.module, locals: amendment.locals ?? new Map(), layer };
  sink.replacements.set(symbol, { statement, by, over: sink.replacements.get(symbol) });
}

/** The amended block sees the statement without its own name in front. */
function push(symbol: Symbol, { amendment, rest, layer, sink }: Attached): void {
  const { statement } = amendment;
  const path = rest as unknown as Path;
  const below = statement.kind === "block" ? { ...statement, head: path } : { ...statement, target: path };
  const list = sink.amendments.get(symbol) ?? [];
  list.push({ ...amendment, statement: below, layer });
  sink.amendments.set(symbol, list);
}
