import { isVariant } from "../../is-variant.ts";
import type { Module } from "../../symbols/symbol.ts";
import type { Registry } from "../../kind.ts";
import { kindOf } from "../meaning/kinds.ts";
import type { Cursor } from "./context.ts";

/** The block of the file that the cursor is in, be it declared or amended there; within an overlay the one that it amends. */
export function ownerOf({ open, line }: Cursor, module: Module, registry: Registry): string | null {
  for (const tokens of [...open.map(({ head }) => head), line]) {
    const [first = "", second = ""] = tokens.map(({ image }) => image).filter((word) => word !== "abstract");
    const declared = module.names.get(second);
    const own = declared?.kind === "block" && declared.node.head[0].text === first;
    const symbol = own ? declared : module.names.get(first);
    const kind = symbol === undefined ? null : kindOf(symbol, registry);
    if (kind !== null && !isVariant(kind)) return own ? second : first;
  }
  return null;
}
