/** `r with { a = 2 }`: fields of a record said anew. What is not there cannot be amended. */
import { misplaced } from "../../diagnostics/catalog/names.ts";
import { amendNothing, setTwice } from "../../diagnostics/catalog/properties.ts";
import { suggest } from "../../diagnostics/suggest.ts";
import type { BlockKind } from "../../kind.ts";
import type { Name, Path, Statement } from "../../syntax/ast.ts";
import { type Field, show, unknown, type Value } from "../../types/value.ts";
import type { Context } from "../context.ts";
import { recordOf } from "./literals.ts";
import type { Scope } from "../scope.ts";

type RecordValue = Extract<Value, { kind: "record" }>;

/** `group` is the group of settings that the record gives, if one is expected: what that has may be added. */
export function recordWith(
  base: RecordValue,
  body: readonly Statement[],
  scope: Scope,
  group: BlockKind | null,
  context: Context,
): RecordValue {
  const said = new Map<string, Name>();
  let current = base;
  for (const member of body) {
    const path = member.kind === "assign" ? member.target : member.kind === "block" ? member.head : null;
    if (path === null) {
      const { bounds } = recordOf([member], scope, context, group) as RecordValue;
      current = { ...current, bounds: [...current.bounds, ...bounds] };
      continue;
    }
    const key = path.map(({ text }) => text).join(".");
    const earlier = said.get(key);
    if (earlier !== undefined && member.kind === "assign") {
      const related = [{ message: "the first time", span: earlier.span }];
      context.report(setTwice(path[0].span, { name: key, where: "this record" }, { related }));
      continue;
    }
    said.set(key, path[0]);
    current = amended(current, path, member, scope, group, context);
  }
  return current;
}

function amended(
  base: RecordValue,
  [head, ...rest]: Path,
  member: Statement,
  scope: Scope,
  group: BlockKind | null,
  context: Context,
): RecordValue {
  const known = base.fields.get(head.text);
  const setTo = (value: Field): RecordValue => ({ ...base, fields: new Map([...base.fields, [head.text, value]]) });
  if (known === undefined) {
    if (
      group !== null &&
      (Object.hasOwn(group.properties, head.text) || Object.hasOwn(group.blocks ?? {}, head.text))
    ) {
      const added = recordOf([member], scope, context, group);
      return added.kind === "record" ? { ...base, fields: new Map([...base.fields, ...added.fields]) } : base;
    }
    const valid = [...base.fields.keys()];
    const details = { ...suggest(head.span, head.text, valid), fix: "Name a field that the record has." };
    context.report(amendNothing(head.span, { name: head.text, where: "the record" }, details));
    return setTo({ value: unknown, span: head.span, origin: { kind: "written", span: head.span, layer: "file" } });
  }
  const [next, ...more] = rest;
  if (member.kind === "assign" && next === undefined) {
    const type = group?.properties[head.text]?.type ?? null;
    return setTo({ ...context.evaluate(member.value, scope, type, `\`${head.text}\``), key: head });
  }
  if (known.value.kind === "unknown") return base;
  if (known.value.kind !== "record") {
    const where = `in \`with\`: \`${head.text}\` of the record is ${show(known.value)}, which has no fields`;
    context.report(misplaced(head.span, { what: `\`${head.text} { … }\``, where }));
    return base;
  }
  const inner = group?.blocks?.[head.text] ?? null;
  const value =
    next === undefined
      ? recordWith(known.value, member.kind === "block" ? (member.body ?? []) : [], scope, inner, context)
      : amended(known.value, [next, ...more], member, scope, inner, context);
  return setTo({ ...known, value });
}
