import type { Type } from "../../kind.ts";
import type { Value } from "../../types/value.ts";
import type { Context } from "../context.ts";

type Choice = Extract<Type, { kind: "choice" }>;

/** Why a block that constructs something is not what is wanted; `null` where its own role was reported, `undefined` for another value. */
export function anotherRole(value: Value, wanted: readonly Choice[], context: Context): string | null | undefined {
  if (value.kind !== "block" || value.block.kind.constructs === undefined) return undefined;
  const { block } = value;
  const role = context.property(block, value.block.kind.constructs, block.span).value;
  if (role.kind !== "member") return null;
  const [choice] = wanted;
  const here = choice === undefined ? "another one" : choice.name;
  return `its role is ${role.name}, but ${here} is needed here`;
}
