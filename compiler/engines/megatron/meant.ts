import { nearest } from "../../../dsl/diagnostics/nearest.ts";
import { historyOf } from "./history.ts";
import type { ArgumentTable } from "./table.ts";

/** The argument that a word which is none was meant to be; `null` where nothing is near, or another release has it. */
export function meantBy(word: string, table: ArgumentTable): string | null {
  const argument = word.replace(/=.*/s, "");
  return historyOf(argument, table.version) === null ? nearest(argument, [...table.byName.keys()]) : null;
}
