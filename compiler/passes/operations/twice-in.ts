/** Lists that hold an item twice: jobs, overlays, evals, mounts, trackers, hosts, ports. */
import type { Diagnostic } from "../../../dsl/diagnostics/diagnostic.ts";
import { removal } from "../../../dsl/diagnostics/suggest.ts";
import type { Property, Type } from "../../../dsl/kind.ts";
import { show, type Value, type Valued } from "../../../dsl/types/value.ts";
import { listTwice } from "../../diagnostics/operations.ts";
import { inTable } from "../../../dsl/in-table.ts";
import { alternatives } from "../../../dsl/types/type.ts";
import type { Said } from "./references.ts";

export const twiceIn = ({ holder, name, value, span }: Said): Diagnostic[] =>
  [...listsIn(name, { value, span }, inTable(holder.kind.properties, name))].flatMap(again);

interface List {
  readonly name: string;
  readonly items: readonly Valued[];
}

/** Lists that no item stands in twice for a reason; what a file declares by itself may be any. */
function* listsIn(name: string, { value, span }: Pick<Valued, "value" | "span">, said?: Property): Generator<List> {
  const types = alternatives(said?.type ?? null);
  if (value.kind === "choice") {
    if (value.declared !== undefined) return;
    const parameters = types.flatMap((type) => parametersOf(type, value.name))[0] ?? {};
    for (const [argument, given] of value.arguments) yield* listsIn(argument, given, inTable(parameters, argument));
  }
  if (value.kind !== "list" || types.some(isSequence)) return;
  const items = value.items.filter((item) => item.span.source.path === span.source.path);
  yield { name, items };
}

const parametersOf = (type: Type, name: string): Readonly<Record<string, Property>>[] =>
  type.kind === "choice" ? [inTable(type.constructors, name)?.parameters ?? {}] : [];

/** Items each with a meaning of its own by their place. */
const isSequence = (type: Type): boolean =>
  type.kind === "list" && (type.repeats === true || type.length !== undefined);

function again({ name, items }: List): Diagnostic[] {
  return items.flatMap((item, index) => {
    const first = items.slice(0, index).find((earlier) => isSame(earlier.value, item.value));
    // A list that is worked out has its items from elsewhere.
    if (first === undefined || first.span.start === item.span.start) return [];
    const related = [{ message: "the first one", span: first.span }];
    return [listTwice(item.span, { name, item: show(item.value) }, { related, fixes: [removal(item.span)] })];
  });
}

const plain: ReadonlySet<Value["kind"]> = new Set(["choice", "member", "formula", "string", "number"]);

function isSame(a: Value, b: Value): boolean {
  if (plain.has(a.kind)) return a.kind === b.kind && show(a) === show(b);
  if (a.kind === "block") return b.kind === "block" && a.block === b.block;
  if (a.kind !== "handle" || b.kind !== "handle") return false;
  return a.block === b.block && a.which === b.which && a.at === undefined && b.at === undefined;
}
