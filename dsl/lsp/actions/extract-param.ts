import type { Argument, Expression, Statement } from "../../syntax/ast.ts";
import { namedTypes } from "../../eval/declarations/type-expression.ts";
import { sameDimension, units } from "../../types/units.ts";
import { type AnyNode, nodesAt } from "../nodes.ts";
import { textOf } from "../positions.ts";
import type { Occurrence } from "../meaning/meaning.ts";
import { occurrenceAt } from "../meaning/occurrences.ts";
import type { Offer } from "./action.ts";
import { freeName, placeFor } from "./new-declaration.ts";

/** A literal becomes a `param` of the file, with its value as the default. */
export const extractParam: Offer = ({ view, start, end }) => {
  const nodes = nodesAt(view.module.file, start);
  const literal = nodes.findLast((node) => literals.has(node.kind)) as Expression | undefined;
  const [outer] = nodes;
  const assign = nodes.findLast((node) => node.kind === "assign" || node.kind === "argument");
  if (literal === undefined || literal.span.end < end || outer === undefined) return [];
  if (outer.kind === "param" || outer.kind === "import" || assign === undefined) return [];
  // What a text puts in is known later than a `param`, or nowhere but in its place.
  if (literal.kind === "string" && literal.parts.some((part) => typeof part !== "string")) return [];
  const name = freeName(nameOf(nodes, view.occurrences), view);
  const type = typeName(literal);
  const { source } = literal.span;
  const at = placeFor(view.module);
  const declaration = `param ${name}${type === null ? "" : `: ${type}`} = ${textOf(literal.span)}\n`;
  return [
    {
      title: `extract \`param ${name}\``,
      kind: "refactor.extract",
      edits: [
        { span: { source, start: at, end: at }, newText: at === 0 ? `${declaration}\n` : declaration },
        { span: literal.span, newText: name },
      ],
    },
  ];
};

/** After the argument, else after the parameter that its place gives it to, else after the property. */
function nameOf(nodes: readonly AnyNode[], occurrences: readonly Occurrence[]): string {
  const all = nodes as readonly (Expression | Statement | Argument)[];
  for (const [index, node] of [...all.entries()].toReversed()) {
    if (node.kind === "assign") return node.target.at(-1)?.text ?? "value";
    if (node.kind !== "argument") continue;
    if (node.name !== null) return node.name.text;
    const call = all[index - 1];
    const meaning = call === undefined ? undefined : occurrenceAt(occurrences, call.span.start)?.meaning;
    const place = call?.kind === "call" ? call.arguments.indexOf(node) : -1;
    const parameter = meaning?.kind === "constructor" ? meaning.constructor.positional?.[place] : undefined;
    if (parameter !== undefined) return parameter;
  }
  return "value";
}

const literals = new Set(["number", "string", "bool"]);

function typeName(literal: Expression): string | null {
  if (literal.kind === "string") return "String";
  if (literal.kind === "bool") return "Bool";
  if (literal.kind !== "number") return null;
  const [unit, ...more] = literal.unit?.numerator ?? [];
  if (unit === undefined) return literal.fractional ? "Float" : "Int";
  if (more.length > 0 || literal.unit?.denominator.length !== 0) return null;
  if (unit === "%") return "Float";
  const dimension = units.get(unit)?.dimension;
  const found = Object.entries(namedTypes).find(
    ([, type]) =>
      type.kind === "number" && dimension !== undefined && type.dimensions.some((d) => sameDimension(d, dimension)),
  );
  return found?.[0] ?? null;
}
