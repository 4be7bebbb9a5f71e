/** What a record says of the group of settings that it stands for: each of its keys is one of the group's. */
import { unknownProperty } from "../../diagnostics/catalog/properties.ts";
import { suggest } from "../../diagnostics/suggest.ts";
import { inTable } from "../../in-table.ts";
import type { Field, RecordBound, RecordValue } from "../../types/value.ts";
import { fitted } from "./fitted.ts";
import { describeInstance, type Instance, type Written } from "./instance.ts";
import { applyStatement } from "./merge.ts";
import { memberNames, unknownMember } from "./unknown-member.ts";

export function sayRecord(group: Instance, { fields, bounds }: RecordValue, by: Written): void {
  for (const [field, said] of fields) sayField(group, field, said, by);
  for (const bound of bounds) sayBound(group, bound, by);
}

function sayField(group: Instance, field: string, said: Field, by: Written): void {
  const { kind, context } = group;
  if (group.values.has(field)) return;
  const property = inTable(kind.properties, field);
  if (property === undefined && said.key !== undefined) return unknownMember(group, said.key, by);
  if (property === undefined) {
    const details = suggest(said.span, field, memberNames(kind));
    context.report(unknownProperty(said.span, { name: field, where: describeInstance(group), hint: null }, details));
    return;
  }
  group.evaluated.set(field, fitted(said, property, `\`${field}\``, context.report));
}

/** The bound as the group itself would say it, its value known already. */
function sayBound(group: Instance, { target, op, value }: RecordBound, by: Written): void {
  const { span } = value;
  const name = { kind: "name" as const, text: "bound", quoted: false, span };
  applyStatement(
    group,
    { kind: "bound", target, op, value: { kind: "reference", name, span }, span },
    { ...by, locals: new Map([...by.locals, [name.text, value]]) },
  );
}
