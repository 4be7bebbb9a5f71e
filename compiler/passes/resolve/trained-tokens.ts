/** How much of the data a stage may read: what is held out is no part of an epoch. */
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { heldOut, numberAt } from "./read.ts";

export const trainedShare = (data: Instance): number => Math.max(0, 1 - heldOut(data, "val") - heldOut(data, "test"));

/** Tokens of an epoch, where the file says how many there are in all. */
export function trainedTokens(data: Instance): number | null {
  const tokens = numberAt(data, "tokens");
  return tokens === null ? null : tokens * trainedShare(data);
}
