import type { Type } from "../../kind.ts";
import type { Expression } from "../../syntax/ast.ts";

/** Where a path may stand, `hf("owner/name")` means the URI `"hf://owner/name"`; `null` for any other call. */
export function uriMeant(
  scheme: string | null,
  { arguments: [only, ...more] }: Extract<Expression, { kind: "call" }>,
  types: readonly Type[],
): string | null {
  const text = textOf(only?.value);
  if (scheme === null || text === null || text === "" || more.length > 0) return null;
  const opens = types.some((type) => type.kind === "path" && type.schemes?.includes(scheme) === true);
  return opens ? `"${scheme}://${text.replace(/^\w+:\/\//, "")}"` : null;
}

/** A text without parts that are computed. */
export function textOf(expression: Expression | undefined): string | null {
  const [part, ...more] = expression?.kind === "string" ? expression.parts : [];
  return typeof part === "string" && more.length === 0 ? part : null;
}
