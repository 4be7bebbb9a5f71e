import { argumentExcess } from "../../diagnostics/catalog/calls.ts";
import { replacement } from "../../diagnostics/suggest.ts";
import type { Argument } from "../../syntax/ast.ts";
import type { Context } from "../context.ts";

/** Whether more values are given by their place than there are places; the first one too many is reported, with the others. */
export function exceeds(
  of: string,
  takes: readonly string[],
  written: readonly Argument[],
  context: Context,
): boolean {
  const byPlace = written.filter((argument) => argument.name === null);
  const first = byPlace[takes.length];
  const last = byPlace.at(-1);
  if (first === undefined || last === undefined) return false;
  const before = written[written.indexOf(first) - 1];
  const span = { ...first.span, end: last.span.end };
  const cut = { ...span, start: before?.span.end ?? span.start };
  const areLast =
    written.at(-1) === last && written.length - written.indexOf(first) === byPlace.length - takes.length;
  const fixes = areLast ? [replacement(cut, "", "remove the extra arguments")] : [];
  context.report(argumentExcess(span, { of, takes, given: written.length }, { fixes }));
  return true;
}
