/** `expect` statements as the trainer reads them: a metric, a comparison, a number. */
import { expectationsIn } from "../../../dsl/eval/formulas/expectation.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import type { Expectation } from "../../bundle/programs.ts";
import { comparison } from "./comparison.ts";

/** What the trainer logs, by the name it logs it under. */
const logged: Readonly<Record<string, string>> = {
  loss: "loss",
  "val.loss": "val_loss",
  grad_norm: "grad_norm",
  tokens_per_second: "tokens_per_second",
};

/** Those that the trainer watches: a metric that it logs, compared with a number. */
export function expectationsOf(block: Instance): Expectation[] {
  return expectationsIn(block).flatMap(({ node, condition, otherwise }) => {
    const compared = comparison(condition);
    const metric = compared === null ? undefined : logged[compared.name];
    if (compared === null || metric === undefined || otherwise === "rollback") return [];
    const { at, op, value } = compared;
    return [{ source: textIn(node), metric, at_step: at, op, value, otherwise }];
  });
}

/** What was written, blanks folded. */
export const textIn = (node: {
  readonly span: { readonly source: { readonly text: string }; readonly start: number; readonly end: number };
}): string => node.span.source.text.slice(node.span.start, node.span.end).replace(/\s+/g, " ");
