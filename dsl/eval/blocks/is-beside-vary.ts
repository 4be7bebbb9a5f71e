import { nearest } from "../../diagnostics/nearest.ts";
import { inTable } from "../../in-table.ts";
import type { Expression, Statement } from "../../syntax/ast.ts";
import type { Instance } from "./instance.ts";
import { memberNames } from "./unknown-member.ts";

/** What other tools call the block of what varies. */
const groups: ReadonlySet<string> = new Set(
  "parameters params hyperparameters grid space search_space param_grid param_space matrix choices".split(" "),
);

/** The name of the group of a kind that says what varies. */
export const varyGroup = ({ kind }: Instance): string | undefined =>
  Object.entries(kind.blocks ?? {}).find(([, { varies }]) => varies !== undefined)?.[0];

/** Whether a statement of a sweep says what varies without saying that it does; it is kept until the sweep is judged. */
export function isBesideVary(target: Instance, statement: Statement): boolean {
  if (varyGroup(target) === undefined) return false;
  if (statement.kind === "block")
    return statement.head.length === 1 && statement.name === null && groups.has(statement.head[0].text);
  if (statement.kind !== "assign" && statement.kind !== "bound") return false;
  const [{ text }, next] = statement.target;
  if (
    inTable(target.kind.foreign, text) !== undefined ||
    target.kind.clauses?.some((clause) => clause === text) === true
  )
    return false;
  const names = memberNames(target.kind);
  if (names.includes(text) || text === "when" || text === "extends") return false;
  const isSet = statement.kind === "bound" || statement.value.kind === "list" || statement.value.kind === "range";
  return next !== undefined || ((isSet || isChoice(statement.value)) && nearest(text, names) === null);
}

/** `choice(8, 16)`, as other tools list values. */
export const isChoice = (value: Expression): value is Extract<Expression, { kind: "call" }> =>
  value.kind === "call" && value.callee.kind === "reference" && value.callee.name.text === "choice";
