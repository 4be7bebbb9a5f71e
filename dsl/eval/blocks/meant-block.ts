/** A block, or what a step makes, where another one is asked: the property that takes it, or the names that do. */
import { typeMismatch } from "../../diagnostics/catalog/values.ts";
import type { Diagnostic, Fix } from "../../diagnostics/diagnostic.ts";
import { replacement } from "../../diagnostics/suggest.ts";
import { inTable } from "../../in-table.ts";
import type { Property, Type } from "../../kind.ts";
import { conform } from "../../types/conform.ts";
import { meanings } from "../../types/type.ts";
import type { Valued } from "../../types/value.ts";
import type { Scope } from "../scope.ts";
import type { Instance, ValueEntry } from "./instance.ts";

export function meantBlock(
  found: Diagnostic,
  given: Valued,
  instance: Instance,
  entry: ValueEntry,
  property: Property,
  scope: Scope,
): Diagnostic {
  const { type } = property;
  const { value } = given;
  if (found.code !== typeMismatch.code || found.fixes.length > 0) return found;
  if (value.kind === "list") {
    const asked = new Set(meanings(type).flatMap((t) => (t.kind === "block" ? t.kinds : [])));
    const [several] = value.items.flatMap(({ value: item }) =>
      item.kind === "block" && asked.has(item.block.kind.name) ? (item.block.kind.several ?? []) : [],
    );
    return several === undefined ? found : { ...found, fix: several };
  }
  if (value.kind !== "block" && value.kind !== "handle") return found;
  const moved = takenBy(given, instance, entry, property);
  if (moved !== null) return { ...found, fixes: [moved] };
  const valid = namesOf(type, scope, instance);
  if (valid.length === 0) return found;
  const [only = ""] = valid;
  return valid.length === 1
    ? { ...found, fixes: [replacement(given.span, only)] }
    : { ...found, valid, fix: "Write one of the names that `valid` lists." };
}

/** `model = base.last`: one other property of the block, which says nothing yet, takes it, and the block needs no other value here. */
function takenBy(given: Valued, instance: Instance, entry: ValueEntry, left: Property): Fix | null {
  const { source, start, end } = entry.expression.span;
  const takers = Object.entries(instance.kind.properties).flatMap(([name, { type }]) => {
    const isEmpty = !instance.values.has(name) && (left.required !== true || left.follows === name);
    if (!isEmpty || !meanings(type).some((t) => t.kind === "block" || t.kind === "handle")) return [];
    const problems: Diagnostic[] = [];
    conform(given, type, "", (problem) => problems.push(problem));
    const mended = problems[0]?.fixes[0]?.edits[0]?.newText;
    if (problems.length === 0) return [`${name} = ${source.text.slice(start, end)}`];
    return mended === undefined ? [] : [`${name} = ${mended}`];
  });
  const [only] = takers;
  if (only === undefined || takers.length > 1 || source !== entry.nameSpan.source) return null;
  return replacement({ source, start: entry.nameSpan.start, end }, only);
}

/** Blocks of the file that such a property takes, and what its steps make. */
function namesOf(type: Type, { module }: Scope, instance: Instance): readonly string[] {
  const { context } = instance;
  const types = meanings(type);
  return [...module.names].flatMap(([name, symbol]) => {
    if (symbol.kind !== "block" || symbol === instance.symbol) return [];
    const kind = inTable(context.registry.kinds, symbol.node.head[0].text)?.name ?? "";
    return types.flatMap((t) => {
      if ((t.kind !== "block" && t.kind !== "handle") || !t.kinds.includes(kind)) return [];
      if (context.instanceOf(symbol)?.abstract !== false) return [];
      return [t.kind === "block" ? name : `${name}.${t.which[0] ?? ""}`];
    });
  });
}
