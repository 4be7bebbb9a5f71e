/** Lists of blocks and of words that hold one twice: jobs, overlays, evals, mounts, trackers. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { removal } from "../../../dsl/diagnostics/suggest.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { show, type Value } from "../../../dsl/types/value.ts";
import { listTwice } from "../../diagnostics/operations.ts";
import { inTable } from "../../../dsl/in-table.ts";
import { alternatives } from "../../../dsl/types/type.ts";
import { saidIn } from "./references.ts";

export function repeated(blocks: readonly Instance[]): Diagnostic[] {
  return blocks.flatMap((block) =>
    saidIn(block).flatMap(({ holder, name, value, span: { source } }) => {
      const types = alternatives(inTable(holder.kind.properties, name)?.type ?? null);
      if (types.some((type) => type.kind === "list" && type.repeats === true)) return [];
      const items = value.kind === "list" ? value.items.filter((item) => item.span.source.path === source.path) : [];
      return items.flatMap((item, index) => {
        const first = items.slice(0, index).find((earlier) => isSame(earlier.value, item.value));
        // A list that is worked out has its items from elsewhere.
        if (first === undefined || first.span.start === item.span.start) return [];
        const related = [{ message: "the first one", span: first.span }];
        return [listTwice(item.span, { name, item: show(item.value) }, { related, fixes: [removal(item.span)] })];
      });
    }),
  );
}

function isSame(a: Value, b: Value): boolean {
  if (a.kind === "choice" || a.kind === "member" || a.kind === "formula")
    return a.kind === b.kind && show(a) === show(b);
  if (a.kind === "block") return b.kind === "block" && a.block === b.block;
  if (a.kind !== "handle" || b.kind !== "handle") return false;
  return a.block === b.block && a.which === b.which && a.at === undefined && b.at === undefined;
}
