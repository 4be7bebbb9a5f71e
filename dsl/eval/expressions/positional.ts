/** Which parameter an argument without a name is for: the last of them takes all that come, where it takes a list. */
import type { Constructor } from "../../kind.ts";
import { alternatives } from "../../types/type.ts";
import { inTable } from "../../in-table.ts";

type Taking = Pick<Constructor, "parameters" | "positional">;

export const positionalAt = (constructor: Taking, index: number): string | undefined =>
  constructor.positional?.[index] ?? listOf(constructor);

/** The parameter that arguments without names may fill as items: `pii(email, phone)`. */
export function listOf({ parameters, positional }: Taking): string | undefined {
  const last = positional?.at(-1);
  const types = last === undefined ? [] : alternatives(inTable(parameters, last)?.type ?? null);
  return types.some(({ kind }) => kind === "list") ? last : undefined;
}
