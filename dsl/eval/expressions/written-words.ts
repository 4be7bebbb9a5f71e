/** Texts that stand where words of an enum are compared: a property that took one of them would say the same of it. */
import type { Expression } from "../../syntax/ast.ts";
import { conform } from "../../types/conform.ts";
import { unknown, type Valued } from "../../types/value.ts";
import type { Context } from "../context.ts";
import { enumOf } from "./items.ts";

/** A computed text, `env("KIND")`, may be any word; one that is written out is one of the enum's, and without quotes where it can be. */
export function heldAsWords(side: Expression, valued: Valued, { value: other }: Valued, context: Context): Valued {
  const words = enumOf(other);
  if (words === null) return valued;
  const { value } = valued;
  if (side.kind === "list" && value.kind === "list") {
    const items = value.items.slice(0, side.items.length);
    const held = items.map((item, at) => asWord(side.items[at], item, words, context));
    return held.some((item) => item.value.kind === "unknown") ? { ...valued, value: unknown } : valued;
  }
  return asWord(side, valued, words, context);
}

function asWord(
  side: Expression | undefined,
  valued: Valued,
  words: NonNullable<ReturnType<typeof enumOf>>,
  context: Context,
): Valued {
  const isWritten = side?.kind === "string" && side.parts.every((part) => typeof part === "string");
  if (!isWritten || valued.value.kind !== "string") return valued;
  return conform({ ...valued, span: side.span }, words, "the comparison", context.report);
}
