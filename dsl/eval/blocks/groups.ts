/** Groups of settings (`layout { … }`): they come to be when they are first spoken of. */
import type { BlockKind } from "../../kind.ts";
import type { Span } from "../../source/source.ts";
import type { Name } from "../../syntax/ast.ts";
import type { Instance } from "./instance.ts";
import { newInstance } from "./new-instance.ts";
import { unknownMember } from "./unknown-member.ts";
import { inTable } from "../../in-table.ts";

/** The group or nested declaration of that name; groups come to be when they are first spoken of. */
export function childToAmend(target: Instance, head: Name): Instance | null {
  const found = target.blocks.get(head.text);
  if (found !== undefined) return found;
  // A group of a raw block is as open as the block itself.
  const group = target.kind.open === true ? target.kind : inTable(target.kind.blocks, head.text);
  if (group !== undefined) return groupIn(target, head.text, group, head.span);
  unknownMember(target, head, null);
  return null;
}

export function groupIn(target: Instance, name: string, kind: BlockKind, span: Span): Instance {
  const group = newInstance(kind, null, target, span, target.context);
  target.blocks.set(name, group);
  // What an expression gives (`layout = match …`) is amended; what was removed or given back begins anew.
  const written = target.values.get(name)?.expression.kind;
  if (written === "none" || written === "auto") target.values.delete(name);
  return group;
}
