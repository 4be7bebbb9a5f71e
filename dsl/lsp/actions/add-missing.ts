import { missingProperty } from "../../diagnostics/catalog/properties.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Instance } from "../../eval/blocks/instance.ts";
import type { Program } from "../../eval/program.ts";
import type { Property, Registry } from "../../kind.ts";
import type { Module } from "../../symbols/symbol.ts";
import type { Block, Statement } from "../../syntax/ast.ts";
import { alternatives } from "../../types/type.ts";
import { textOf } from "../positions.ts";
import { instanceOf } from "../value-at.ts";
import type { Action, ActionEdit, Offer } from "./action.ts";
import { escaped } from "./escaped.ts";
import { placeIn } from "./place-in.ts";
import { inTable } from "../../in-table.ts";

/**
 * Writes each required property that a block lacks: the declared blocks that it may name, else its name and `=`. A value that nobody chose
 * would be one more number to take for meant.
 */
export const addMissing: Offer = ({ view: { module, path }, start, end, workspace }) => {
  const blocks = blocksIn(module.file.statements, start, end);
  const analysis = blocks.length === 0 ? null : workspace.analysis(path);
  if (analysis === null) return [];
  const lacks = blocks
    .flatMap((block) => instancesOf(block, null, { program: analysis.program, module, start, end }))
    .toReversed()
    .flatMap(([block, instance]) =>
      Object.entries(instance.kind.properties)
        .filter(([name, property]) => property.required === true && !isSaid(instance, name))
        .filter(([, { follows }]) => follows === undefined || !isSaid(instance, follows))
        .map(([name, property]) => ({ block, instance, name, property })),
    );
  // What lies in one another is told apart by the names; what was selected together may lack the same.
  const isOne = lacks.every(({ block }) => lacks.every((other) => isWithin(block, other.block)));
  return lacks.flatMap(({ block, instance, name, property }) => {
    const values = candidates(property, module, workspace.registry).filter((value) => value !== instance.name);
    const where = isOne ? "" : ` to \`${[block.head[0].text, block.name?.text ?? ""].join(" ").trim()}\``;
    const mends = analysis.diagnostics.find((each) => isOf(each, block, name));
    return (values.length === 0 ? [""] : values).map((value) => ({
      ...add(block, name, value, where),
      ...(mends === undefined ? {} : { mends }),
    }));
  });
};

/** Whether a diagnostic says that a block lacks the property. */
const isOf = ({ code, span, message }: Diagnostic, block: Block, name: string): boolean =>
  code === missingProperty.code &&
  span.source.path === block.span.source.path &&
  span.start === (block.name ?? block.head[0]).span.start &&
  message.includes(`needs \`${name}\``);

const isWithin = ({ span: a }: Block, { span: b }: Block): boolean =>
  (a.start <= b.start && b.end <= a.end) || (b.start <= a.start && a.end <= b.end);

function blocksIn(statements: readonly Statement[], start: number, end: number): readonly Block[] {
  return statements.filter(
    (each): each is Block => each.kind === "block" && each.span.start <= end && start <= each.span.end,
  );
}

interface At {
  readonly program: Program;
  readonly module: Module;
  readonly start: number;
  readonly end: number;
}

/** Blocks that need everything, with what became of them; an abstract one may leave to others what it needs. */
function instancesOf(block: Block, inside: Instance["blocks"] | null, at: At): [Block, Instance][] {
  const name = block.name?.text ?? block.head[0].text;
  const symbol = inside === null ? at.module.names.get(name) : undefined;
  const instance: Instance | null =
    inside?.get(name) ?? (symbol === undefined ? null : instanceOf(at.program, symbol));
  if (instance === null) return [];
  const isClosed = block.body === null ? endsItsLine(block) : textOf(block.span).endsWith("}");
  const inner = blocksIn(block.body ?? [], at.start, at.end);
  return [
    ...(!block.abstract && isClosed ? [[block, instance] satisfies [Block, Instance]] : []),
    ...inner.flatMap((each) => instancesOf(each, instance.blocks, at)),
  ];
}

/** What stands behind a header without a body is of a header that was not understood: a body would come between them. */
const endsItsLine = ({ span: { source, end } }: Block): boolean =>
  /^[ \t]*(?:[,}\r\n]|\/\/|$)/.test(source.text.slice(end));

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
        .filter((which) => inTable(registry.kinds, kind)?.handles?.includes(which))
        .flatMap((which) => names([kind]).map((name) => `${name}.${which}`)),
    );
  });
  return found.slice(0, most);
}

function add(block: Block, name: string, value: string, where: string): Action {
  const line = value === "" ? `${name} =` : `${name} = ${value}`;
  const { span, before, after } = placeIn(block);
  const edit: ActionEdit = {
    span,
    newText: before + line + after,
    ...(value === "" ? { snippet: escaped(before) + `${line} $0` + escaped(after) } : {}),
  };
  return { title: `add \`${line}\`${where}`, kind: "quickfix", edits: [edit] };
}
