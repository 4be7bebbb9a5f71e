/** What stands in a wrong place is moved, where exactly one place fits. */
import { misplaced, missingName, unknownAmendment, unknownKind } from "../../diagnostics/catalog/names.ts";
import { foreignProperty, unknownProperty } from "../../diagnostics/catalog/properties.ts";
import type { Diagnostic, Edit, Fix } from "../../diagnostics/diagnostic.ts";
import { removal } from "../../diagnostics/suggest.ts";
import type { BlockKind, Registry } from "../../kind.ts";
import { lineStart } from "../../source/line-start.ts";
import type { Assign, Block, Bound, File, Statement } from "../../syntax/ast.ts";
import { nodesAt } from "../nodes.ts";
import { textOf } from "../positions.ts";
import type { Action, Offer } from "./action.ts";
import { mending } from "./mending.ts";
import { placeIn } from "./place-in.ts";
import { inTable } from "../../in-table.ts";

const codes = new Set(
  [misplaced, missingName, unknownAmendment, unknownKind, unknownProperty, foreignProperty].map(({ code }) => code),
);

export const move: Offer = ({ view, start, end, workspace }) => {
  const { path, module } = view;
  const diagnostics = workspace.analysis(path)?.diagnostics ?? [];
  const mendsIt = mending(view, diagnostics, workspace);
  return diagnostics
    .filter(
      ({ code, span }) => codes.has(code) && span.source.path === path && span.start <= end && start <= span.end,
    )
    .flatMap((mends): Action[] => {
      // Another tool's name often comes with what to write instead.
      if (mends.code === foreignProperty.code && mends.fixes.length > 0) return [];
      const places = moves(mends, module.file, workspace.registry).slice(0, most);
      const [fix, another] = places.filter((place) => mendsIt(mends, place).length > 0);
      return fix === undefined || another !== undefined ? [] : [{ ...fix, kind: "quickfix", mends }];
    });
};

/** So many places are tried. */
const most = 6;

type Movable = Block | Assign | Bound;

/** A block with what it is, and the blocks around it, from the outside in. */
interface Home {
  readonly node: Block;
  readonly kind: BlockKind;
  readonly around: readonly Home[];
}

/** Where a statement may stand by its name: near where it is, else anywhere. */
function moves({ span }: Diagnostic, file: File, registry: Registry): readonly Fix[] {
  const nodes = nodesAt(file, span.start) as readonly Statement[];
  const statement = nodes.findLast((node): node is Movable => isMovable(node) && node.span.start === span.start);
  if (statement === undefined) return [];
  const homes = file.statements.flatMap((top) => homesIn(top, registry.kinds, []));
  const inside = homes.findLast(({ node }) => node !== statement && nodes.includes(node)) ?? null;
  const outermost = nodes[0];
  if (inside !== null && statement.kind === "block" && statement.name !== null && outermost !== undefined)
    if (inTable(registry.kinds, nameOf(statement)) !== undefined) return [toTheTop(statement, outermost)];
  const fitting = homes.filter(
    (home) => home.node !== statement && fits(home.kind, statement) && !says(home.node, statement),
  );
  const into = (homes: readonly Home[]): Fix[] => homes.map((home) => intoHome(home, statement));
  if (inside === null) return into(fitting);
  const near = fitting.filter((home) => home.around.includes(inside) || inside.around.includes(home));
  const groups = Object.values(inside.kind.blocks ?? {}).filter(
    (group) => statement.kind !== "block" && fits(group, statement) && !saysGroup(inside.node, group.name),
  );
  if (near.length + groups.length === 0) return into(fitting);
  return [...into(near), ...groups.map((group) => intoGroup(group, statement))];
}

const isMovable = ({ kind }: { readonly kind: string }): boolean => ["block", "assign", "bound"].includes(kind);

const nameOf = (statement: Movable): string =>
  (statement.kind === "block" ? statement.head : statement.target)[0].text;

function* membersOf({ body }: Block): Generator<Block> {
  for (const member of body ?? []) if (member.kind === "block") yield member;
}

/** A declared block and the groups in it; what amends has its place elsewhere. */
function homesIn(node: Statement, kinds: Readonly<Record<string, BlockKind>>, around: readonly Home[]): Home[] {
  if (node.kind !== "block" || (around.length === 0 && node.name === null)) return [];
  const kind = kinds[node.head[0].text];
  if (kind === undefined || kind.variant === true || node.head.length > 1 || node.body === null) return [];
  const home: Home = { node, kind, around };
  return [
    home,
    ...[...membersOf(node)].flatMap((member) =>
      homesIn(member, (member.name === null ? kind.blocks : kind.nested) ?? {}, [...around, home]),
    ),
  ];
}

function fits({ properties, blocks, nested, open }: BlockKind, statement: Movable): boolean {
  const name = nameOf(statement);
  if (open === true) return false;
  if (statement.kind === "block") return name in ((statement.name === null ? blocks : nested) ?? {});
  return Object.hasOwn(properties, name) || (statement.target.length > 1 && Object.hasOwn(blocks ?? {}, name));
}

/** Whether a block says it already; sources and the like may be many. */
const says = ({ body }: Block, statement: Movable): boolean =>
  (statement.kind !== "block" || statement.name === null) &&
  (body ?? []).some((member) => isMovable(member) && nameOf(member as Movable) === nameOf(statement));

const saysGroup = (block: Block, name: string): boolean =>
  [...membersOf(block)].some((each) => nameOf(each) === name);

function intoGroup({ name }: BlockKind, { span }: Movable): Fix {
  return { title: `put it into \`${name}\``, edits: [{ span, newText: `${name} { ${textOf(span)} }` }] };
}

function intoHome(home: Home, statement: Movable): Fix {
  const { span, before, after } = placeIn(home.node);
  const indent = /[\r\n]([ \t]*)$/.exec(before)?.[1] ?? /^[ \t]+$/.exec(before)?.[0] ?? "";
  const insertion = { span, newText: before + reindented(statement, indent) + after };
  return { title: `move it into \`${described(home)}\``, edits: inOrder(insertion, statement) };
}

const described = ({ node, kind, around }: Home): string => {
  const outer = around.at(-1);
  const own = node.name === null ? kind.name : `${kind.name} ${node.name.text}`;
  return outer === undefined ? own : `${own}\` of \`${described(outer)}`;
};

function toTheTop(statement: Block, outermost: Statement): Fix {
  const { source } = statement.span;
  const before = source.text.slice(0, outermost.span.start);
  const start = before.length - (/(?:^[ \t]*\/\/\/[^\r\n]*(?:\r\n|\n|\r))+$/m.exec(before)?.[0].length ?? 0);
  const insertion = { span: { source, start, end: start }, newText: `${reindented(statement, "")}\n` };
  return { title: "move it to the top of the file", edits: inOrder(insertion, statement) };
}

const inOrder = (insertion: Edit, { span }: Movable): readonly Edit[] => [insertion, ...removal(span).edits];

/** A statement as it is written elsewhere: its further lines as deep as its first. */
function reindented({ span }: Movable, indent: string): string {
  const { text } = span.source;
  const line = text.slice(lineStart(text, span.start), span.start);
  const own = /^[ \t]*/.exec(line)?.[0] ?? "";
  return textOf(span).replaceAll(
    /(\r\n|\n|\r)([ \t]*)/g,
    (_, newline: string, blank: string) =>
      newline + indent + (blank.startsWith(own) ? blank.slice(own.length) : blank),
  );
}
