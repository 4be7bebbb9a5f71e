import { inTable } from "../../in-table.ts";
import type { Type } from "../../kind.ts";
import type { Expression } from "../../syntax/ast.ts";
import { alternatives } from "../../types/type.ts";
import type { Valued } from "../../types/value.ts";
import { choiceBehind } from "./constructor-behind.ts";
import type { Context } from "../context.ts";
import { enumOf } from "./items.ts";
import type { Scope } from "../scope.ts";

/**
 * What a value is compared with: members of its enum; the words that its property takes where `written` names one, `pretrain.engine`, which may
 * itself be known only later.
 */
export function wordsOf(
  written: Expression | null,
  { value, of: lost }: Pick<Valued, "value" | "of">,
  scope: Scope,
  context: Context,
): Type | null {
  const words = enumOf(value);
  if (words !== null) return words;
  if (lost !== undefined) return wordsIn(lost);
  if (written === null || (value.kind !== "choice" && value.kind !== "unknown")) return null;
  if (written.kind !== "member") {
    const choice = value.kind === "choice" ? choiceBehind(value, context.registry) : undefined;
    return choice === undefined ? null : { ...choice, compared: true };
  }
  const { value: of } = context.evaluate(written.object, scope, null, "the part before the dot");
  const type = of.kind === "block" ? inTable(of.block.kind.properties, written.name.text)?.type : undefined;
  return wordsIn(type ?? null);
}

function wordsIn(type: Type | null): Type | null {
  const words = alternatives(type).flatMap((each): Type[] =>
    each.kind === "choice" ? [{ ...each, compared: true }] : each.kind === "enum" ? [each] : [],
  );
  return words.length === 0 ? null : { kind: "union", members: words };
}
