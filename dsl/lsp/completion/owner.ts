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

/** What the `let`, `param`, `secret` or `fn` that the cursor is in gives a name to. */
export function declaredBy({ open, line }: Cursor): string | null {
  const [word, name] = open[0]?.head ?? line;
  return word !== undefined && naming.has(word.image) ? (name?.image ?? null) : null;
}

const naming = new Set(["let", "param", "secret", "fn"]);
