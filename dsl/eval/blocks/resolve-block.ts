/** The block that a name of a header stands for. */
import { unknownName } from "../../diagnostics/catalog/names.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { replacement, suggest } from "../../diagnostics/suggest.ts";
import type { Registry } from "../../kind.ts";
import { importOf } from "../../symbols/import-of.ts";
import { isPromised } from "../../symbols/is-promised.ts";
import type { BlockSymbol, Module, Symbol } from "../../symbols/symbol.ts";
import type { Path } from "../../syntax/ast.ts";
import { ownBlock } from "../own-block.ts";
import { pathText } from "./merge.ts";
import { noBlock } from "./no-block.ts";

interface Around {
  readonly registry: Registry;
  readonly report: (diagnostic: Diagnostic) => void;
  readonly root: Module;
  /** What a block has to be of to be meant; anything where nothing is said. */
  readonly kinds: readonly string[] | undefined;
}

/** `null` where there is none; why is reported, but where it may be on a line that cannot be read. */
export function resolveBlock(
  path: Path,
  module: Module,
  { registry, report, root, kinds }: Around,
): BlockSymbol | null {
  const [head, ...rest] = path;
  let symbol = module.names.get(head.text);
  const inner = rest[0];
  const isInner = symbol?.kind === "namespace" && inner !== undefined;
  if (isInner && symbol?.kind === "namespace") symbol = symbol.of.names.get(inner.text);
  const names = path.slice(0, isInner ? 2 : 1).map(({ text }) => text);
  if (symbol?.kind === "block" && path.length > names.length) {
    // `extends pretrain.last`: a header names blocks, and what a block makes is none.
    const span = { ...head.span, end: path.at(-1)?.span.end ?? head.span.end };
    const fixes = [replacement(span, names.join("."))];
    report(unknownName(span, { name: pathText(path) }, { fixes, valid: [names.join(".")] }));
    return null;
  }
  if (symbol?.kind === "block") return symbol;
  if (symbol === undefined && isPromised(head.text, module.file)) return null;
  if (symbol !== undefined && symbol.kind !== "namespace" && path.length === 1) {
    report(noBlock(head, symbol));
    return null;
  }
  const isMeant = (found: Symbol): boolean =>
    found.kind === "block" && found.node.extends !== path && (kinds?.includes(found.node.head[0].text) ?? true);
  const valid = [...module.names].filter(([, found]) => isMeant(found)).map(([name]) => name);
  const near = suggest(head.span, head.text, valid);
  const known = importOf(head.text, root.file, registry.std);
  const guesses = known !== null ? [known] : path.length > 1 ? [] : ownBlock(head, kinds ?? [], registry);
  const details = (near.fixes ?? []).length > 0 ? near : { ...near, fixes: guesses };
  report(unknownName(head.span, { name: pathText(path) }, details));
  return null;
}
