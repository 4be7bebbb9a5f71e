/** From statements to instances: declare, amend, replace, remove. */
import { nearest } from "../diagnostics/nearest.ts";
import { removal, replacement, suggest } from "../diagnostics/suggest.ts";
import { duplicateName, misplaced } from "../diagnostics/catalog/names.ts";
import {
  amendNothing,
  blockAssigned,
  foreignProperty,
  notBoundable,
  setTwice,
  unknownProperty,
} from "../diagnostics/catalog/values.ts";
import type { BlockKind } from "../kind.ts";
import type { Span } from "../source/source.ts";
import type { BlockSymbol } from "../symbols/symbol.ts";
import type { Assign, Block, Bound, Name, Path, Statement } from "../syntax/ast.ts";
import type { Context } from "./context.ts";
import { alternatives } from "../types/type.ts";
import type { Valued } from "../types/value.ts";
import { describeInstance, type Instance, type ValueEntry, type Written } from "./instance.ts";

export function newInstance(
  kind: BlockKind,
  name: string | null,
  parent: Instance | null,
  span: Span,
  context: Context,
  options: { readonly abstract?: boolean; readonly symbol?: BlockSymbol | null } = {},
): Instance {
  return {
    kind,
    name,
    parent,
    span,
    abstract: options.abstract ?? false,
    symbol: options.symbol ?? null,
    values: new Map(),
    blocks: new Map(),
    bounds: [],
    checks: [],
    clauses: { on: null, after: [] },
    context,
    evaluated: new Map(),
  };
}

/** Says the statements of one body to a block. Within one body nothing may be said twice. */
export function applyBody(target: Instance, body: readonly Statement[], by: Written): void {
  const said = new Map<string, Name>();
  // A name that the block does not know is judged when all that it knows is said: it may stand for what is missing.
  const strange = (statement: Statement): boolean =>
    statement.kind === "assign" && statement.target.length === 1 && !knows(target, statement.target[0].text);
  const ordered = target.kind.open === true ? body : [...body.filter((s) => !strange(s)), ...body.filter(strange)];
  for (const statement of ordered) {
    if (statement.kind === "assign" && !target.kind.open) {
      const key = statement.target.map((n) => n.text).join(".");
      const name = statement.target[0];
      const earlier = said.get(key);
      if (earlier !== undefined) {
        target.context.report(
          setTwice(name.span, { name: key }, { related: [{ message: "the first time", span: earlier.span }] }),
        );
        continue;
      }
      said.set(key, name);
    }
    applyStatement(target, statement, by);
  }
}

function knows({ kind, blocks }: Instance, name: string): boolean {
  return name in kind.properties || name === "when" || name in (kind.blocks ?? {}) || blocks.has(name);
}

export function applyStatement(target: Instance, statement: Statement, by: Written): void {
  const { context } = target;
  switch (statement.kind) {
    case "assign":
      return assign(target, statement, by);
    case "bound":
      return bound(target, statement, by);
    case "block":
      return statement.name === null
        ? amendBlock(target, statement, by)
        : declareNested(target, statement, statement.name, by);
    case "assert":
    case "expect":
      target.checks.push({ node: statement, by });
      return;
    default:
      context.report(
        misplaced(statement.span, { what: `\`${statement.kind}\``, where: `in ${describeInstance(target)}` }),
      );
  }
}

function assign(target: Instance, statement: Assign, by: Written): void {
  const [head, ...rest] = statement.target;
  const name = head.text;
  const next = rest[0];
  if (next !== undefined) {
    if (name in target.kind.properties) return patch(target, statement, by);
    const child = childToAmend(target, head);
    if (child !== null) assign(child, { ...statement, target: [next, ...rest.slice(1)] }, by);
    return;
  }
  const { value } = statement;
  target.evaluated.clear();
  if (name in target.kind.properties || name === "when" || target.kind.open === true) {
    target.values.set(name, { kind: "value", expression: value, nameSpan: head.span, by, patches: [] });
    return;
  }
  const group = target.kind.blocks?.[name];
  if (group === undefined && !target.blocks.has(name)) return unknown(target, head, by, statement);
  if (value.kind === "record") {
    const existed = target.blocks.has(name);
    if (!existed && by.layer === "file") {
      const edit = replacement(
        { ...head.span, start: head.span.end, end: value.span.start },
        " ",
        "write it as a block",
      );
      target.context.report(blockAssigned(head.span, { name }, { fixes: [edit] }));
    }
    target.blocks.delete(name);
    if (group !== undefined) applyBody(groupIn(target, name, group, head.span), value.members, by);
    return;
  }
  target.blocks.delete(name);
  if (value.kind === "auto") target.values.delete(name);
  else target.values.set(name, { kind: "value", expression: value, nameSpan: head.span, by, patches: [] });
}

function patch(target: Instance, statement: Assign, by: Written): void {
  const [head, ...rest] = statement.target;
  const entry = target.values.get(head.text);
  if (entry === undefined) {
    if (target.kind.properties[head.text]?.default === undefined) {
      target.context.report(amendNothing(head.span, { name: head.text, where: describeInstance(target) }));
      return;
    }
  }
  const added = { path: rest.map((n) => n.text), expression: statement.value, nameSpan: cover(rest, head), by };
  const base = entry ?? {
    kind: "value" as const,
    expression: { kind: "auto" as const, span: head.span },
    nameSpan: head.span,
    by,
    patches: [],
  };
  target.values.set(head.text, { ...base, patches: [...base.patches, added] });
  target.evaluated.clear();
}

const cover = (names: readonly Name[], fallback: Name): Span => ({
  ...fallback.span,
  start: names[0]?.span.start ?? fallback.span.start,
  end: names.at(-1)?.span.end ?? fallback.span.end,
});

function bound(target: Instance, statement: Bound, by: Written): void {
  const [head, ...rest] = statement.target;
  const next = rest[0];
  if (next !== undefined) {
    const child = childToAmend(target, head);
    if (child !== null) bound(child, { ...statement, target: [next, ...rest.slice(1)] }, by);
    return;
  }
  const property = target.kind.properties[head.text];
  if (property === undefined) return unknown(target, head, by);
  if (property.bounded !== true) {
    target.context.report(notBoundable(head.span, { what: `\`${head.text}\`` }));
    return;
  }
  target.bounds.push({ node: statement, by });
}

function amendBlock(target: Instance, statement: Block, by: Written): void {
  const [head, ...rest] = statement.head;
  const next = rest[0];
  if (next === undefined && head.text in target.kind.properties && target.kind.blocks?.[head.text] === undefined) {
    const members = statement.body ?? [];
    const written = target.values.get(head.text);
    const block = written === undefined ? null : blockIn(target, written, head.text);
    if (written !== undefined && block !== null) {
      target.values.set(head.text, withMore(written, block, members, by));
      target.evaluated.clear();
      return;
    }
    if (written === undefined || members.some((m) => m.kind !== "assign")) {
      const edit = replacement({ ...head.span, start: head.span.end, end: head.span.end }, " =");
      target.context.report(notABlock(target, head, edit));
      return;
    }
    for (const member of members) {
      if (member.kind === "assign") patch(target, { ...member, target: [head, ...member.target] }, by);
    }
    return;
  }
  const child = childToAmend(target, head);
  if (child === null) return;
  if (next !== undefined) return amendBlock(child, { ...statement, head: [next, ...rest.slice(1)] }, by);
  applyBody(child, statement.body ?? [], by);
}

/** The declared block that a property refers to, if it refers to one. */
function blockIn(target: Instance, entry: ValueEntry, name: string): Valued | null {
  const type = target.kind.properties[name]?.type ?? null;
  if (!alternatives(type).some((t) => t.kind === "block")) return null;
  const scope = { module: entry.by.module, locals: entry.by.locals, self: target };
  const value = target.context.evaluate(entry.expression, scope, type, `\`${name}\``);
  return value.value.kind === "block" ? value : null;
}

/** `gpu { memory = 80 GB }` where `gpu` refers to a declared block: a copy with more said, `gpu = base with { … }`. */
function withMore(entry: ValueEntry, base: Valued, body: readonly Statement[], by: Written): ValueEntry {
  const name: Name = { kind: "name", text: "the amended block", quoted: true, span: entry.expression.span };
  const reference = { kind: "reference" as const, name, span: entry.expression.span };
  const expression = { kind: "with" as const, base: reference, body, span: entry.expression.span };
  return { ...entry, expression, by: { ...by, locals: new Map([...by.locals, [name.text, base]]) } };
}

function notABlock(target: Instance, head: Name, fix: ReturnType<typeof replacement>) {
  return misplaced(
    head.span,
    {
      what: `\`${head.text} { … }\``,
      where: `in ${describeInstance(target)}: \`${head.text}\` is a property and is given with \`=\``,
    },
    { fixes: [fix] },
  );
}

function declareNested(target: Instance, statement: Block, name: Name, by: Written): void {
  const kindName = statement.head[0].text;
  const kind = target.kind.nested?.[kindName];
  if (kind === undefined) {
    const details = suggest(statement.head[0].span, kindName, memberNames(target.kind));
    target.context.report(
      unknownProperty(statement.head[0].span, { name: kindName, where: describeInstance(target) }, details),
    );
    return;
  }
  const earlier = target.blocks.get(name.text);
  if (
    earlier !== undefined &&
    earlier.kind === kind &&
    by.layer === "file" &&
    earlier.span.source === name.span.source &&
    earlier.parent === target
  ) {
    target.context.report(
      duplicateName(name.span, { name: name.text }, { related: [{ message: "the first one", span: earlier.span }] }),
    );
    return;
  }
  const child = newInstance(kind, name.text, target, name.span, target.context);
  target.blocks.set(name.text, child);
  applyBody(child, statement.body ?? [], by);
}

/** The group or nested declaration of that name; groups come to be when they are first spoken of. */
function childToAmend(target: Instance, head: Name): Instance | null {
  const found = target.blocks.get(head.text);
  if (found !== undefined) return found;
  // A group of a raw block is as open as the block itself.
  const group = target.kind.open === true ? target.kind : target.kind.blocks?.[head.text];
  if (group !== undefined) return groupIn(target, head.text, group, head.span);
  unknown(target, head, null);
  return null;
}

function groupIn(target: Instance, name: string, kind: BlockKind, span: Span): Instance {
  const group = newInstance(kind, null, target, span, target.context);
  target.blocks.set(name, group);
  target.values.delete(name);
  return group;
}

/** All names that may stand in a block of a kind. */
export function memberNames(kind: BlockKind): string[] {
  return [...Object.keys(kind.properties), ...Object.keys(kind.blocks ?? {}), ...Object.keys(kind.nested ?? {})];
}

function unknown(target: Instance, head: Name, by: Written | null, statement?: Assign): void {
  const foreign = target.kind.foreign?.[head.text];
  if (foreign !== undefined && by !== null) {
    const written =
      statement === undefined
        ? ""
        : statement.value.span.source.text.slice(statement.value.span.start, statement.value.span.end);
    const meant = /^(\w+) =/.exec(foreign.rewrite?.("") ?? "")?.[1] ?? /`(\w+) =/.exec(foreign.instead)?.[1];
    const isSaid = meant !== undefined && target.values.has(meant);
    const fix =
      statement === undefined
        ? []
        : foreign.rewrite === undefined || isSaid
          ? [removal(statement.span)]
          : [replacement(statement.span, foreign.rewrite(written))];
    standIn(target, meant, head, by);
    target.context.report(foreignProperty(head.span, { name: head.text, instead: foreign.instead }, { fixes: fix }));
    return;
  }
  const near = nearest(head.text, memberNames(target.kind));
  if (by !== null && near !== null) standIn(target, near, head, by);
  const isSaid =
    near !== null && target.values.get(near)?.by === by && target.values.get(near)?.nameSpan !== head.span;
  const suggested = suggest(head.span, head.text, memberNames(target.kind));
  // Under its right name it would be said twice.
  const details = isSaid && statement !== undefined ? { ...suggested, fixes: [removal(statement.span)] } : suggested;
  target.context.report(unknownProperty(head.span, { name: head.text, where: describeInstance(target) }, details));
}

/** `head` says a property in other words: that the property itself is absent would be a second message about one mistake. */
function standIn(target: Instance, meant: string | undefined, head: Name, by: Written): void {
  if (meant === undefined || !(meant in target.kind.properties) || target.values.has(meant)) return;
  const expression = { kind: "missing" as const, span: head.span };
  target.values.set(meant, { kind: "value", expression, nameSpan: head.span, by, patches: [] });
}

/** `a.b` as the user wrote it. */
export const pathText = (path: Path): string => path.map((n) => n.text).join(".");
