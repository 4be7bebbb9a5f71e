/** What `assert` does where its condition does not hold: an error, with a reason in words, or a warning. */
import { unknownName } from "../../diagnostics/catalog/names.ts";
import { replacement } from "../../diagnostics/suggest.ts";
import { inTable } from "../../in-table.ts";
import type { Assert } from "../../syntax/ast.ts";
import { conform } from "../../types/conform.ts";
import { choice, string, union } from "../../types/type.ts";
import { actions } from "../formulas/expectation.ts";
import type { Context } from "../context.ts";
import type { Scope } from "../scope.ts";

/** What may follow `else`. */
const warning = choice(
  "reaction",
  { warn: { doc: "a warning instead of an error that stops everything", parameters: {} } },
  { warning: "warn", log: "warn", print: "warn" },
);
export const reactions = union(string, warning);

export type Reaction = { readonly kind: "error"; readonly why: string | null } | { readonly kind: "warning" };

export function reactionOf({ condition, otherwise }: Assert, scope: Scope, context: Context): Reaction {
  const fails: Reaction = { kind: "error", why: null };
  if (otherwise === null) return fails;
  if (otherwise.kind === "reference" && stops(otherwise.name.text) && !isKnown(otherwise.name.text, scope)) {
    const { text: name, span } = otherwise.name;
    const all = { ...otherwise.span, start: condition.span.end };
    const fixes = [replacement(all, "", `remove \`else ${name}\`: an assertion that fails is an error`)];
    context.report(unknownName(span, { name }, { valid: ["warn"], fixes }));
    return fails;
  }
  const what = "what follows `else`";
  const said = context.evaluate(otherwise, scope, reactions, what);
  // A text about the plan is known once there is one.
  if (said.value.kind === "unknown" && said.value.phase === undefined) return fails;
  const { value } = conform(said, reactions, what, context.report);
  if (value.kind === "choice") return { kind: "warning" };
  return value.kind === "string" ? { kind: "error", why: value.value } : fails;
}

const stops = (word: string): boolean =>
  word === "stop" || (actions.kind === "choice" && inTable(actions.foreign, word) === "stop");

const isKnown = (name: string, { locals, module }: Scope): boolean => locals.has(name) || module.names.has(name);
