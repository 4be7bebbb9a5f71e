/** `family = llama-3`, `precision = bf16-mixed`: a word with signs in it, where nothing computed could stand. */
import type { Type } from "../../kind.ts";
import type { Binary, Expression } from "../../syntax/ast.ts";
import { meanings } from "../../types/type.ts";
import type { Context } from "../context.ts";
import { saysFree } from "../judgement/sides.ts";
import type { Scope } from "../scope.ts";
import { reportUnknown } from "./unknown-name.ts";

/** Whether it was one, which is told as the one word that it is. */
export function isHyphenated(whole: Binary, scope: Scope, expected: Type | null, context: Context): boolean {
  if (whole.op !== "-" && whole.op !== "/") return false;
  const types = meanings(expected);
  if (!types.some(({ kind }) => kind === "enum" || kind === "choice")) return false;
  let first: Expression = whole;
  while (first.kind === "binary") first = first.left;
  if (first.kind !== "reference" || !saysFree(first, scope, context)) return false;
  const { source, start } = first.span;
  const { end } = (whole.right.kind === "call" ? whole.right.callee : whole).span;
  const text = source.text.slice(start, end);
  if (!/^\w+(?:[-/.]\w+)+$/.test(text)) return false;
  reportUnknown({ ...first.name, text, span: { source, start, end } }, types, scope, context);
  return true;
}
