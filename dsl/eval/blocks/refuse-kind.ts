/** A block of a kind that there is not: another name is meant, a block inside of others, or one that is declared itself. */
import { unknownKind } from "../../diagnostics/catalog/names.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { nearest } from "../../diagnostics/nearest.ts";
import { inTable } from "../../in-table.ts";
import { replacement, suggestion } from "../../diagnostics/suggest.ts";
import type { BlockKind, Registry } from "../../kind.ts";
import type { BlockSymbol } from "../../symbols/symbol.ts";
import { kindIsBlock } from "./kind-is-block.ts";
import { swappedHeader } from "./swapped-header.ts";
import { pathText } from "./merge.ts";

/** Returns the kind that is misspelt. */
export function refuseKind(
  symbol: BlockSymbol,
  registry: Registry,
  report: (diagnostic: Diagnostic) => void,
): BlockKind | null {
  const { node } = symbol;
  const kindName = node.head[0].text;
  const at = node.head[0].span;
  if (kindName === "test" && node.head.length === 1) {
    const title = symbol.name.text;
    const fixes = [replacement(symbol.name.span, `"${title}"`)];
    const fix = `Write \`test "${title}" { … }\`.`;
    report(unknownKind(at, { kind: kindName, inside: [], title }, { fixes, fix }));
    return null;
  }
  const base = node.head.length === 1 ? symbol.module.names.get(kindName) : undefined;
  if (base?.kind === "block" && base !== symbol && Object.hasOwn(registry.kinds, base.node.head[0].text)) {
    report(kindIsBlock(at, base, symbol));
    return null;
  }
  if (node.head.length === 1 && Object.hasOwn(registry.kinds, symbol.name.text)) {
    const fixes = [swappedHeader(node.head[0], symbol.name)];
    report(unknownKind(at, { kind: kindName, inside: [] }, { fixes }));
    return null;
  }
  const kinds = Object.values(registry.kinds);
  const inside = kinds.filter(({ blocks, nested }) => kindName in { ...blocks, ...nested }).map(({ name }) => name);
  const names = Object.keys(registry.kinds);
  const best = kinds.find(({ also }) => also?.includes(kindName.toLowerCase()))?.name ?? nearest(kindName, names);
  const details = inside.length > 0 ? {} : suggestion(at, best, names);
  report(unknownKind(at, { kind: pathText(node.head), inside: node.head.length > 1 ? [] : inside }, details));
  const meant = inside.length > 0 || node.head.length > 1 ? null : best;
  return meant === null ? null : (inTable(registry.kinds, meant) ?? null);
}
