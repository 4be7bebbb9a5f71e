/** Which blocks of a file come from one of them: what that one took from these would be a cycle. */
import type { Registry } from "../../kind.ts";
import type { Module } from "../../symbols/symbol.ts";
import type { Statement } from "../../syntax/ast.ts";
import { kindOf } from "../meaning/kinds.ts";
import { everyNode } from "../nodes.ts";

/** The block itself, and all that extend it, come after it or read what it makes, by way of others too. */
export function dependents(owner: string | null, module: Module, registry: Registry): ReadonlySet<string> {
  if (owner === null) return new Set();
  const found = new Set([owner]);
  for (const one of found)
    for (const { name, sources } of edgesOf(module, registry)) if (sources.has(one)) found.add(name);
  return found;
}

interface Edge {
  readonly name: string;
  readonly sources: ReadonlySet<string>;
}

const edges = new WeakMap<Module, readonly Edge[]>();

/** What each statement of a file comes from. Every node is looked at for it, so it is found once for a text. */
function edgesOf(module: Module, registry: Registry): readonly Edge[] {
  let found = edges.get(module);
  if (found === undefined) {
    found = module.file.statements.flatMap((statement): Edge[] => {
      const name = nameOf(statement);
      return name === null ? [] : [{ name, sources: new Set(sourcesOf(statement, module, registry)) }];
    });
    edges.set(module, found);
  }
  return found;
}

/** What it declares, or else what it amends. */
function nameOf(statement: Statement): string | null {
  if (statement.kind === "block") return (statement.name ?? statement.head[0]).text;
  return statement.kind === "assign" ? statement.target[0].text : null;
}

function* sourcesOf(statement: Statement, module: Module, registry: Registry): Generator<string> {
  if (statement.kind === "block")
    for (const [first] of [...(statement.extends === null ? [] : [statement.extends]), ...statement.after])
      yield first.text;
  for (const node of everyNode({ ...module.file, statements: [statement] })) {
    if (node.kind !== "member" || node.object.kind !== "reference") continue;
    const symbol = module.names.get(node.object.name.text);
    const kind = symbol === undefined ? null : kindOf(symbol, registry);
    if (kind?.handles?.includes(node.name.text) === true) yield node.object.name.text;
  }
}
