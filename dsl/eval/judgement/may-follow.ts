/** Whether what a block says may follow from another block: names are walked and nothing is evaluated, so that asking makes no cycle. */
import type { BlockSymbol, Module, Symbol } from "../../symbols/symbol.ts";
import type { Expression } from "../../syntax/ast.ts";
import { enclosing, type Instance, type Written } from "../blocks/instance.ts";
import { referencesIn } from "../expressions/references-in.ts";

/** `names`: properties and groups of `block`. In doubt it may. */
export function mayFollow(block: Instance, names: readonly string[], from: BlockSymbol): boolean {
  const { context } = block;
  const seen = new Set<Symbol | Instance>();

  function named(text: string, module: Module, self: Instance | null): boolean {
    const symbol = module.names.get(text);
    if (symbol === undefined) {
      const around = [...enclosing(self)].find(({ kind }) => kind.name === text);
      return around !== undefined && whole(around);
    }
    if (symbol === from || symbol.kind === "namespace") return true;
    if (seen.has(symbol)) return false;
    seen.add(symbol);
    if (symbol.kind === "block") {
      const instance = context.instanceOf(symbol);
      return instance !== null && whole(instance);
    }
    const said = symbol.kind === "param" || symbol.kind === "let" ? amendmentsOf(text, context.modules) : [];
    return [symbol.node, ...said].some((node) =>
      [...referencesIn(node)].some((name) => named(name, symbol.module, null)),
    );
  }

  const follows = (expression: Expression, { module, locals }: Written, self: Instance): boolean =>
    [...referencesIn(expression)].some((name) => !locals.has(name) && named(name, module, self));

  const property = (instance: Instance, name: string): boolean => {
    const entry = instance.values.get(name);
    const parts = entry === undefined ? [] : [entry, ...entry.patches];
    const bounds = instance.bounds.filter(({ node }) => node.target[0].text === name);
    const group = instance.blocks.get(name);
    return (
      parts.some(({ expression, by }) => follows(expression, by, instance)) ||
      bounds.some(({ node, by }) => follows(node.value, by, instance)) ||
      (group !== undefined && whole(group))
    );
  };

  function whole(instance: Instance): boolean {
    if (seen.has(instance)) return false;
    seen.add(instance);
    const { values, blocks, bounds } = instance;
    const said = new Set([...values.keys(), ...blocks.keys(), ...bounds.map(({ node }) => node.target[0].text)]);
    return [...said].some((name) => property(instance, name));
  }

  return names.some((name) => property(block, name));
}

/** What is said of a name outside its declaration: by presets and overlays, whichever are taken. */
function amendmentsOf(text: string, modules: ReadonlyMap<string, Module>): readonly unknown[] {
  const found: unknown[] = [];
  const walk = (node: unknown): void => {
    if (node === null || typeof node !== "object") return;
    const { kind, target } = node as { kind?: unknown; target?: readonly { text?: unknown }[] };
    if (kind === "assign" && target?.at(-1)?.text === text) found.push(node);
    for (const [key, part] of Object.entries(node)) if (key !== "span") walk(part);
  };
  for (const { file, path } of modules.values()) if (!path.startsWith("std/")) walk(file);
  return found;
}
