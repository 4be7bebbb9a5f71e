import type { Instance } from "../../eval/instance.ts";
import { instanceOf } from "../value-at.ts";
import { nodesAt } from "../nodes.ts";
import { textOf } from "../positions.ts";
import type { Block } from "../../syntax/ast.ts";
import type { Property, Type } from "../../kind.ts";
import { alternatives } from "../../types/type.ts";
import { unitsOf } from "../../types/units.ts";
import type { Action, Offer } from "./action.ts";

/** Writes each required property that a block lacks, with something of its type to begin with. */
export const addMissing: Offer = ({ view, start, workspace }) => {
  const [block] = nodesAt(view.module.file, start);
  if (block?.kind !== "block") return [];
  const node = block as Block;
  const symbol = view.module.names.get(node.name?.text ?? "");
  const analysis = symbol === undefined ? null : workspace.analysis(view.path);
  const instance = analysis === null || symbol === undefined ? null : instanceOf(analysis.program, symbol);
  if (instance === null) return [];
  const missing = Object.entries(instance.kind.properties).filter(
    ([name, property]) => property.required === true && !isSaid(instance, name),
  );
  return missing.map(([name, property]): Action => {
    const line = `${name} = ${startingValue(property)}`;
    return { title: `add \`${line}\``, kind: "quickfix", edits: [insert(node, line)] };
  });
};

const isSaid = ({ values, bounds }: Instance, name: string): boolean =>
  values.has(name) || bounds.some(({ node }) => node.target[0].text === name);

/** At the end of the block, as its own line where the block has several. */
function insert(node: Block, line: string) {
  const { span, body } = node;
  if (body === null) return { span: { ...span, start: span.end }, newText: ` { ${line} }` };
  const close = span.end - 1;
  const text = textOf(span);
  if (!/[\r\n]/.test(text)) {
    const isEmpty = body.length === 0;
    const before = isEmpty ? /\{\s*\}$/.exec(text) : /\s*\}$/.exec(text);
    const from = span.end - (before?.[0].length ?? 1);
    return { span: { ...span, start: from }, newText: isEmpty ? `{ ${line} }` : `, ${line} }` };
  }
  return { span: { ...span, start: close, end: close }, newText: `  ${line}\n` };
}

function startingValue({ type, default: fallback }: Property): string {
  if (fallback !== undefined) return fallback;
  return (
    alternatives(type)
      .map(example)
      .find((e) => e !== null) ?? "auto"
  );
}

function example(type: Type): string | null {
  switch (type.kind) {
    case "enum":
      return type.values[0] ?? null;
    case "choice": {
      const [name, constructor] = Object.entries(type.constructors)[0] ?? [];
      if (name === undefined || constructor === undefined) return null;
      const required = Object.entries(constructor.parameters).filter(([, p]) => p.required === true);
      return required.length === 0
        ? name
        : `${name}(${required.map(([p, property]) => `${p} = ${startingValue(property)}`).join(", ")})`;
    }
    case "number": {
      const unit = type.dimensions.map((d) => unitsOf(d)[0]).find((u) => u !== undefined);
      const least = Math.max(1, type.min ?? 1);
      return unit === undefined || type.dimensions.some((d) => Object.keys(d).length === 0)
        ? String(least)
        : `${least} ${unit}`;
    }
    case "string":
    case "path":
      return '""';
    case "list": {
      const one = example(type.element);
      return one === null ? "[]" : `[${one}]`;
    }
    case "bool":
      return "true";
    default:
      return null;
  }
}
