/** `expect` statements as the trainer reads them: a metric, a comparison, a number. */
import { expectationsIn } from "../../../dsl/eval/expectation.ts";
import type { Instance } from "../../../dsl/eval/instance.ts";
import type { FormulaTree } from "../../../dsl/types/value.ts";
import type { Expectation } from "../../bundle/programs.ts";

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
    return compared === null || otherwise === "rollback" ? [] : [{ source: textIn(node), ...compared, otherwise }];
  });
}

const turned = { "<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==" } as const;

function comparison(tree: FormulaTree): Pick<Expectation, "metric" | "at_step" | "op" | "value"> | null {
  if (typeof tree !== "object" || tree === null || !("op" in tree) || !(tree.op in turned)) return null;
  const op = tree.op as keyof typeof turned;
  const [left = null, right = null] = tree.of;
  if (typeof left === "number") return comparison({ op: turned[op], of: [right, left] });
  if (typeof right !== "number" || typeof left !== "object" || left === null || !("name" in left)) return null;
  const metric = logged[left.name];
  if (metric === undefined) return null;
  return { metric, at_step: typeof left.at === "number" ? left.at : null, op, value: right };
}

/** What was written, blanks folded. */
export const textIn = (node: {
  readonly span: { readonly source: { readonly text: string }; readonly start: number; readonly end: number };
}): string => node.span.source.text.slice(node.span.start, node.span.end).replace(/\s+/g, " ");
