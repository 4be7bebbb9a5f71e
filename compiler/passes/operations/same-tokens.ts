import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { blockAt, choiceAt } from "../resolve/read.ts";

/** Whether two data blocks write the same tokens: one tokenizer block, or one rule that learns nothing from the text. */
export function sameTokens(a: Instance, b: Instance): boolean {
  const [shared, other] = [blockAt(a, "tokenizer"), blockAt(b, "tokenizer")];
  if (shared !== null || other !== null) return shared === other;
  const [left, right] = [choiceAt(a, "tokenizer"), choiceAt(b, "tokenizer")];
  const show = (choice: typeof left) =>
    JSON.stringify(
      [...(choice?.arguments ?? [])].map(([name, value]) => [name, value.value]),
      (key, value: unknown) => (key === "span" || key === "origin" ? undefined : value),
    );
  if (a === b) return true;
  return left?.name === right?.name && left?.name !== "bpe" && show(left) === show(right);
}
