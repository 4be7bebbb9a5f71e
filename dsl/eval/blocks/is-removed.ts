import { blockRemoved } from "../../diagnostics/catalog/names.ts";
import type { Span } from "../../source/source.ts";
import type { BlockSymbol } from "../../symbols/symbol.ts";
import type { Context } from "../context.ts";

/** Whether a block was removed (`text = none`); whoever names it at `at` is told. */
export function isRemoved(symbol: BlockSymbol, at: Span, context: Context): boolean {
  const span = context.removed(symbol);
  if (span === null) return false;
  const related = [{ message: "it is removed here", span }];
  context.report(blockRemoved(at, { name: symbol.name.text }, { related }));
  return true;
}
