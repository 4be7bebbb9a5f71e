/** Where a name belongs that a block does not know: in a group of the block, a block around it, another kind. */
import type { BlockKind } from "../../kind.ts";
import { enclosing, type Instance } from "./instance.ts";
import { listed } from "../listed.ts";
import { inTable } from "../../in-table.ts";
import { article } from "../../diagnostics/article.ts";

/** `it belongs to \`eval\` or \`checkpoint\``; `null` where nothing has such a member. */
export function belongs(name: string, instance: Instance): string | null {
  const { registry } = instance.context;
  if (inTable(registry.kinds, name) !== undefined && instance.parent === null)
    return `${article(name)} is declared at the top level of a file`;
  if (Object.hasOwn(instance.kind.nested ?? {}, name)) return `it is a block with a name, \`${name} NAME { … }\``;
  const own = groupsWith(name, instance.kind);
  if (own.length > 0) return `it belongs to ${listed(own.map((group) => `\`${group}\``))}`;
  const around = [...enclosing(instance.parent)].find(({ kind }) => has(kind, name));
  if (around !== undefined) return `it belongs to the ${around.kind.name} around it`;
  const kinds = Object.values(registry.kinds);
  const others = [
    ...kinds.filter((kind) => has(kind, name)).map((kind) => article(kind.name)),
    ...kinds.flatMap((kind) => groupsWith(name, kind).map((group) => `\`${group}\` of ${article(kind.name)}`)),
  ];
  // A name that many kinds have is no hint.
  return others.length === 0 || others.length > 3 ? null : `it belongs to ${listed(others)}`;
}

const has = ({ properties, blocks, nested }: BlockKind, name: string): boolean =>
  [properties, blocks, nested].some((members) => members !== undefined && Object.hasOwn(members, name));

const groupsWith = (name: string, { blocks, nested }: BlockKind): readonly string[] =>
  Object.entries({ ...blocks, ...nested }).flatMap(([group, kind]) => (has(kind, name) ? [group] : []));
