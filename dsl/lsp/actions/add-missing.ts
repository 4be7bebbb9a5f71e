import type { Instance } from "../../eval/instance.ts";
import type { Program } from "../../eval/program.ts";
import type { Property, Registry } from "../../kind.ts";
import type { Module } from "../../symbols/symbol.ts";
import type { Block } from "../../syntax/ast.ts";
import { alternatives } from "../../types/type.ts";
import { nodesAt } from "../nodes.ts";
import { textOf } from "../positions.ts";
import { instanceOf } from "../value-at.ts";
import type { Action, ActionEdit, Offer } from "./action.ts";
import { placeIn } from "./place-in.ts";

/**
 * Writes each required property that a block lacks: the declared blocks that it may name, else its name and `=`. A value that nobody chose
 * would be one more number to take for meant.
 */
export const addMissing: Offer = ({ view: { module, path }, start, workspace }) => {
  const blocks = nodesAt(module.file, start).filter((node) => node.kind === "block") as Block[];
  const analysis = blocks.length === 0 ? null : workspace.analysis(path);
  if (analysis === null) return [];
  return instancesOf(blocks, analysis.program, module).flatMap(([block, instance]) =>
    Object.entries(instance.kind.properties)
      .filter(([name, property]) => property.required === true && !isSaid(instance, name))
      .filter(([, { follows }]) => follows === undefined || !isSaid(instance, follows))
      .flatMap(([name, property]) => {
        const values = candidates(property, module, workspace.registry).filter((value) => value !== instance.name);
        return (values.length === 0 ? [""] : values).map((value) => add(block, name, value));
      }),
  );
};

/** Blocks that need everything, with what became of them; an abstract one may leave to others what it needs. */
function instancesOf(blocks: readonly Block[], program: Program, module: Module): [Block, Instance][] {
  const found: [Block, Instance][] = [];
  let inside = null as Instance["blocks"] | null;
  for (const block of blocks) {
    const name = block.name?.text ?? block.head[0].text;
    const symbol = inside === null ? module.names.get(name) : undefined;
    const instance: Instance | null =
      inside?.get(name) ?? (symbol === undefined ? null : instanceOf(program, symbol));
    if (instance === null) break;
    const isClosed = block.body === null || textOf(block.span).endsWith("}");
    if (!block.abstract && isClosed) found.push([block, instance]);
    inside = instance.blocks;
  }
  return found.toReversed();
}

const isSaid = ({ values, bounds, blocks }: Instance, name: string): boolean =>
  values.has(name) || blocks.has(name) || bounds.some(({ node }) => node.target[0].text === name);

const most = 6;

/** What the file declares that the property may name. */
function candidates({ type }: Property, module: Module, registry: Registry): string[] {
  const names = (kinds: readonly string[]) =>
    [...module.names].flatMap(([name, symbol]) =>
      symbol.kind === "block" && kinds.includes(symbol.node.head[0].text) && !symbol.node.abstract ? [name] : [],
    );
  const all = alternatives(type);
  if (!all.every(({ kind }) => kind === "block" || kind === "handle")) return [];
  const found = all.flatMap((t) => {
    if (t.kind === "block") return names(t.kinds);
    if (t.kind !== "handle") return [];
    return t.kinds.flatMap((kind) =>
      t.which
        .filter((which) => registry.kinds[kind]?.handles?.includes(which))
        .flatMap((which) => names([kind]).map((name) => `${name}.${which}`)),
    );
  });
  return found.slice(0, most);
}

function add(block: Block, name: string, value: string): Action {
  const line = value === "" ? `${name} =` : `${name} = ${value}`;
  const { span, before, after } = placeIn(block);
  const edit: ActionEdit = {
    span,
    newText: before + line + after,
    ...(value === "" ? { snippet: escaped(before) + `${line} $0` + escaped(after) } : {}),
  };
  return { title: `add \`${line}\``, kind: "quickfix", edits: [edit] };
}

const escaped = (text: string): string => text.replaceAll(/[\\$}]/g, String.raw`\$&`);
