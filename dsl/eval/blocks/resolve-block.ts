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
  const [head, inner] = path;
  const first = module.names.get(head.text);
  const file = first?.kind === "namespace" && inner !== undefined ? first.of : null;
  // What is behind the name of an imported file is one of that file's.
  const [name, named] = file === null || inner === undefined ? [head, path.slice(0, 1)] : [inner, path.slice(0, 2)];
  const symbol = file === null ? first : file.names.get(name.text);
  const spoken = named.map(({ text }) => text).join(".");
  if (symbol?.kind === "block" && path.length > named.length) {
    // `extends pretrain.last`: a header names blocks, and what a block makes is none.
    const span = { ...head.span, end: path.at(-1)?.span.end ?? head.span.end };
    report(unknownName(span, { name: pathText(path) }, { fixes: [replacement(span, spoken)], valid: [spoken] }));
    return null;
  }
  if (symbol?.kind === "block") return symbol;
  if (symbol === undefined && file === null && isPromised(head.text, module.file)) return null;
  if (symbol !== undefined && symbol.kind !== "namespace" && path.length === named.length) {
    report(noBlock(name, symbol));
    return null;
  }
  const isMeant = (found: Symbol): boolean =>
    found.kind === "block" &&
    found.node.extends !== path &&
    !found.node.after.includes(path) &&
    (kinds?.includes(found.node.head[0].text) ?? true);
  const valid = [...(file ?? module).names].filter(([, found]) => isMeant(found)).map(([each]) => each);
  const near = suggest(name.span, name.text, valid);
  const known = file === null ? importOf(head.text, root.file, registry.std, kinds) : null;
  const guesses =
    known !== null ? { fixes: [known] } : path.length > 1 ? {} : ownBlock(head, kinds ?? [], module.file, registry);
  const details = (near.fixes ?? []).length > 0 ? near : { ...near, ...guesses };
  report(unknownName(name.span, { name: pathText(path) }, details));
  return null;
}
