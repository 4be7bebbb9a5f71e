/** `expect` statements as the trainer reads them: a metric, a comparison, a number. */
import { unsupportedExpectation } from "../../../dsl/diagnostics/catalog/values.ts";
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { expectationsIn } from "../../../dsl/eval/expectation.ts";
import type { Instance } from "../../../dsl/eval/instance.ts";
import type { FormulaTree } from "../../../dsl/types/value.ts";
import type { Expectation } from "../../bundle/programs.ts";

type Report = (diagnostic: Diagnostic) => void;

/** What the trainer logs, by the name it logs it under. */
const logged: Readonly<Record<string, string>> = {
  loss: "loss",
  "val.loss": "val_loss",
  grad_norm: "grad_norm",
  tokens_per_second: "tokens_per_second",
};

export function expectationsOf(block: Instance, report: Report): Expectation[] {
  return expectationsIn(block).flatMap(({ node, condition, otherwise }) => {
    const compared = comparison(condition);
    if (compared === null || otherwise === "rollback") {
      const why =
        otherwise === "rollback"
          ? "rolling back is expressed, and not executed yet"
          : `it is executed only as a comparison of one of ${Object.keys(logged).join(", ")} with a number`;
      report(unsupportedExpectation(node.span, { why }));
      return [];
    }
    return [{ source: textIn(node), ...compared, otherwise }];
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
