/** Fields of the records that an expression may give: those of one name in several rows are one field. */
import type { Expression, Name } from "../../syntax/ast.ts";

export interface Field {
  readonly name: Name;
  /** The name in the first row that has it, which stands for all. */
  readonly first: Name;
  readonly value: Expression;
}

export function fieldsOf(expression: Expression): readonly Field[] {
  const firsts = new Map<string, Name>();
  return rowsOf(expression).map(({ name, value }) => {
    const first = firsts.get(name.text) ?? name;
    firsts.set(name.text, first);
    return { name, first, value };
  });
}

/** Fields of fields too: `a.b` of every row is one field. */
export function everyField(values: readonly Expression[]): readonly Field[] {
  const groups = Map.groupBy(values.flatMap(fieldsOf), ({ name }) => name.text);
  return [...groups.values()].flatMap((fields) => [
    ...fields.map((field) => ({ ...field, first: fields[0]?.first ?? field.first })),
    ...everyField(fields.map(({ value }) => value)),
  ]);
}

function rowsOf(expression: Expression): readonly Pick<Field, "name" | "value">[] {
  switch (expression.kind) {
    case "record":
      return expression.members.flatMap((member) =>
        member.kind === "assign" && member.target.length === 1
          ? [{ name: member.target[0], value: member.value }]
          : [],
      );
    case "if":
      return [...rowsOf(expression.then), ...rowsOf(expression.else)];
    case "match":
      return [
        ...expression.arms.flatMap(({ body }) => rowsOf(body)),
        ...(expression.otherwise === null ? [] : rowsOf(expression.otherwise)),
      ];
    default:
      return [];
  }
}
