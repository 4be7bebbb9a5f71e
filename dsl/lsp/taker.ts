/** What a value is given to: the property, the parameter or the name before it. */
import { positionalAt } from "../eval/expressions/positional.ts";
import type { Argument, Call, Path } from "../syntax/ast.ts";
import type { View } from "./feature.ts";
import type { Occurrence } from "./meaning/meaning.ts";
import { occurrenceAt } from "./meaning/occurrences.ts";
import { type AnyNode, nodesAt } from "./nodes.ts";
import { inTable } from "../in-table.ts";

export function takerAt({ module, occurrences }: View, offset: number): Occurrence | null {
  const nodes = nodesAt(module.file, offset);
  for (const [index, node] of [...nodes.entries()].reverse()) {
    const found = takes(node, nodes[index - 1], occurrences);
    if (found !== null) return found;
  }
  return null;
}

function takes(node: AnyNode, around: AnyNode | undefined, all: readonly Occurrence[]): Occurrence | null {
  switch (node.kind) {
    case "argument":
      return around?.kind === "call" ? ofArgument(node as Argument, around as Call, all) : null;
    case "assign":
    case "bound": {
      const target = (node as AnyNode & { readonly target: Path }).target.at(-1);
      return target === undefined ? null : occurrenceAt(all, target.span.start);
    }
    case "param":
    case "let":
    case "secret":
      return occurrenceAt(
        all,
        (node as AnyNode & { readonly name: { readonly span: AnyNode["span"] } }).name.span.start,
      );
    default:
      return null;
  }
}

function ofArgument(argument: Argument, call: Call, all: readonly Occurrence[]): Occurrence | null {
  if (argument.name !== null) return occurrenceAt(all, argument.name.span.start);
  const callee = occurrenceAt(all, call.callee.span.start);
  const index = call.arguments.filter(({ name }) => name === null).indexOf(argument);
  const { meaning } = callee ?? {};
  const takes =
    meaning?.kind === "constructor" || (meaning?.kind === "auto" && meaning.constructor !== null)
      ? meaning.constructor
      : meaning?.kind === "formula_name"
        ? { parameters: meaning.is.parameters ?? {}, positional: meaning.is.positional ?? [] }
        : null;
  const name = takes === null ? undefined : positionalAt(takes, index);
  const property = name === undefined ? undefined : inTable(takes?.parameters, name);
  if (callee === null || name === undefined || property === undefined) return null;
  return { ...callee, meaning: { kind: "parameter", of: callee.text, name, property }, path: [...callee.path, name] };
}
