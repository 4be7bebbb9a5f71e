import type { NumberLiteral } from "../../syntax/ast.ts";
import { conversions, spelledOut } from "../conversions.ts";
import { nodesAt } from "../nodes.ts";
import type { Action, Offer } from "./action.ts";

/** The same amount in another unit, or without its scale. */
export const convertUnit: Offer = ({ view, start, end }) => {
  const literal = nodesAt(view.module.file, start).findLast((node) => node.kind === "number") as
    NumberLiteral | undefined;
  if (literal === undefined || literal.span.end < end) return [];
  const full = spelledOut(literal);
  const same = conversions(literal).filter(({ isExact }) => isExact);
  const texts = [...(full === null ? [] : [full]), ...same.map(({ text }) => text)];
  return texts.map((text): Action => ({
    title: `write \`${text}\``,
    kind: "refactor.rewrite",
    edits: [{ span: literal.span, newText: text }],
  }));
};
