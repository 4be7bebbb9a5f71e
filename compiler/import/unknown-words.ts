/** Words of a launch that may be any arguments, since only the job knows them: `$EXTRA`, `"${ARGS[@]}"`. */
import type { Span } from "../../dsl/source/source.ts";
import type { Diagnostic } from "../../dsl/diagnostics/diagnostic.ts";
import { importLeftOut } from "../diagnostics/import.ts";

/** A name of the shell, as it is written. */
const written = (name: string): string => (/^(?:\w+|[@*#])$/.test(name) ? `$${name}` : "a command's output");

export function unknownAdded(span: Span, names: readonly string[]): Diagnostic {
  return importLeftOut(span, {
    what: `what ${names.length === 0 ? "this" : [...new Set(names)].map(written).join(" and ")} adds`,
    why: "it is known only where the script runs",
  });
}

/** The remark above a stage: words that are left out, and options whose value is open; `undefined` where there are none. */
export function unknownRemark(
  added: readonly string[],
  open: readonly { readonly name: string; readonly from: readonly string[] }[] = [],
): string | undefined {
  const clauses = [
    ...(added.length === 0 ? [] : [`that ${listed(added)} ${new Set(added).size > 1 ? "add" : "adds"} no argument`]),
    ...open.map(({ name, from }) => `${name}${from.length === 0 ? "" : ` (${listed(from)})`}`),
  ];
  if (clauses.length === 0) return undefined;
  return `Guessed: ${clauses.join("; ")}; ${clauses.length > 1 ? "they are" : "it is"} known only where the script runs.`;
}

function listed(names: readonly string[]): string {
  const all = [...new Set(names.map(written))];
  return all.length > 1 ? `${all.slice(0, -1).join(", ")} and ${all.at(-1)}` : (all[0] ?? "");
}
