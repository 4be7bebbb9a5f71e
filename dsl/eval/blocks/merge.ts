/** From statements to instances: declare, amend, replace, remove. */
import { duplicateName, misplaced } from "../../diagnostics/catalog/names.ts";
import { blockAssigned, setTwice, unknownProperty } from "../../diagnostics/catalog/properties.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { notBoundable } from "../../diagnostics/catalog/values.ts";
import { replacement, suggest } from "../../diagnostics/suggest.ts";
import type { Property } from "../../kind.ts";
import type { Assign, Block, Bound, Name, Path, Statement } from "../../syntax/ast.ts";
import { bool } from "../../types/type.ts";
import { amendedAway } from "./amended-away.ts";
import { blockIn, notABlock, patch, withMore } from "./amend-value.ts";
import { childToAmend, groupIn } from "./groups.ts";
import { belongs } from "./belongs.ts";
import { describeInstance, type Instance, type Written } from "./instance.ts";
import { newInstance } from "./new-instance.ts";
import { swappedHeader } from "./swapped-header.ts";
import { memberNames, unknownMember } from "./unknown-member.ts";
import { inTable } from "../../in-table.ts";
import { isBesideVary } from "./is-beside-vary.ts";
import { withoutEqual } from "./without-equal.ts";

/** Says the statements of one body to a block. Within one body nothing may be said twice. */
export function applyBody(target: Instance, body: readonly Statement[], by: Written): void {
  const said = new Map<string, Name>();
  const declared = new Map<string, { readonly kind: string; readonly span: Name["span"] }>();
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
    if (statement.kind === "param") {
      const key = `param ${statement.name.text}`;
      const earlier = said.get(key);
      if (earlier !== undefined) {
        const related = [{ message: "the first one", span: earlier.span }];
        const details = { related, fix: "Remove one of the two, or give it another name." };
        target.context.report(duplicateName(statement.name.span, { name: statement.name.text }, details));
        continue;
      }
      said.set(key, statement.name);
    }
    if (statement.kind === "block" && statement.name !== null) {
      const earlier = declared.get(statement.name.text);
      if (earlier !== undefined && earlier.kind === statement.head[0].text) {
        const related = [{ message: "the first one", span: earlier.span }];
        target.context.report(duplicateName(statement.name.span, { name: statement.name.text }, { related }));
        continue;
      }
      declared.set(statement.name.text, { kind: statement.head[0].text, span: statement.name.span });
    }
    applyStatement(target, statement, by);
  }
}

function knows({ kind, blocks }: Instance, name: string): boolean {
  return (
    Object.hasOwn(kind.properties, name) ||
    name === "when" ||
    Object.hasOwn(kind.blocks ?? {}, name) ||
    blocks.has(name)
  );
}

export function applyStatement(target: Instance, statement: Statement, by: Written): void {
  const { context } = target;
  if (speaksOfAnother(target, statement) || isBesideVary(target, statement)) {
    target.amendments.push({ node: statement, by });
    return;
  }
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
    case "param":
      if (target.kind.constructs !== undefined) {
        target.params.set(statement.name.text, { node: statement, by });
        return;
      }
      break;
    case "let":
      if (!knows(target, statement.name.text)) break;
      context.report(
        misplaced(
          statement.span,
          { what: "`let`", where: `in ${describeInstance(target)}` },
          { fixes: [replacement({ ...statement.span, end: statement.name.span.start }, "", "remove `let`")] },
        ),
      );
      return assign(target, { ...statement, kind: "assign", target: [statement.name] }, by);
    default:
  }
  context.report(
    misplaced(statement.span, { what: `\`${statement.kind}\``, where: `in ${describeInstance(target)}` }),
  );
}

/** What a phase says of the block around it, and what a sweep varies. */
function speaksOfAnother(target: Instance, statement: Statement): boolean {
  const { kind } = target;
  if (kind.varies !== undefined)
    return statement.kind === "assign" || (statement.kind === "bound" && statement.op === "in");
  if (kind.amends !== true) return false;
  const head = statement.kind === "block" ? statement.head[0] : "target" in statement ? statement.target[0] : null;
  return head !== null && !(statement.kind === "block" && statement.name !== null) && !knows(target, head.text);
}

function assign(target: Instance, statement: Assign, by: Written): void {
  const [head, ...rest] = statement.target;
  const name = head.text;
  const next = rest[0];
  if (next !== undefined) {
    if (Object.hasOwn(target.kind.properties, name)) {
      const entry = target.values.get(name);
      const block = entry === undefined ? null : blockIn(target, entry, name);
      if (entry === undefined || block === null) return patch(target, statement, by);
      // `model.layers = 3` is `model { layers = 3 }`.
      const inner: Assign = { ...statement, target: [next, ...rest.slice(1)] };
      target.values.set(name, withMore(entry, block, [inner], by));
      target.evaluated.clear();
      return;
    }
    const child = childToAmend(target, head);
    if (child !== null) assign(child, { ...statement, target: [next, ...rest.slice(1)] }, by);
    return;
  }
  const { value } = statement;
  target.evaluated.clear();
  amendedAway(target, name);
  if (Object.hasOwn(target.kind.properties, name) || name === "when" || target.kind.open === true) {
    target.values.set(name, { kind: "value", expression: value, nameSpan: head.span, by, patches: [] });
    return;
  }
  const group = inTable(target.kind.blocks, name);
  if (group === undefined && !target.blocks.has(name)) return unknownMember(target, head, by, statement);
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
    target.values.delete(name);
    if (group !== undefined) applyBody(groupIn(target, name, group, head.span), value.members, by);
    return;
  }
  target.blocks.delete(name);
  if (value.kind === "auto") target.values.delete(name);
  else target.values.set(name, { kind: "value", expression: value, nameSpan: head.span, by, patches: [] });
}

function bound(target: Instance, statement: Bound, by: Written): void {
  const [head, ...rest] = statement.target;
  const next = rest[0];
  if (next !== undefined) {
    if (inTable(target.kind.properties, head.text) !== undefined) {
      const entry = target.values.get(head.text);
      const block = entry === undefined ? null : blockIn(target, entry, head.text);
      const inner: Bound = { ...statement, target: [next, ...rest.slice(1)] };
      if (entry === undefined || block === null) {
        const what = `\`${statement.target.map(({ text }) => text).join(".")}\``;
        target.context.report(notBoundable({ ...head.span, end: (rest.at(-1) ?? next).span.end }, { what }));
      } else target.values.set(head.text, withMore(entry, block, [inner], by));
      return;
    }
    const child = childToAmend(target, head);
    if (child !== null) bound(child, { ...statement, target: [next, ...rest.slice(1)] }, by);
    return;
  }
  const property = inTable(target.kind.properties, head.text);
  if (property === undefined) return unknownMember(target, head, by);
  if (property.bounded !== true) {
    target.context.report(notBoundable(head.span, { what: `\`${head.text}\`` }));
    return;
  }
  if (property.limit === true && statement.op.startsWith(">")) {
    target.context.report(notALimit(statement));
    return;
  }
  target.bounds.push({ node: statement, by });
}

/** `time >= 3 h`: nobody sees to it that something takes longer. */
function notALimit({ target: [head], op, value }: Bound): Diagnostic {
  const span = { ...head.span, start: head.span.end, end: value.span.start };
  const upper = op.replace(">", "<");
  const fixes = [replacement(span, ` ${upper} `, `write \`${upper}\``)];
  const slots = { what: `\`${head.text}\``, takes: "an upper bound (`<=`), not a lower one", why: "it is a limit" };
  return notBoundable({ ...head.span, end: value.span.end }, slots, { fixes });
}

function amendBlock(target: Instance, statement: Block, by: Written): void {
  const [head, ...rest] = statement.head;
  const next = rest[0];
  if (
    next === undefined &&
    inTable(target.kind.properties, head.text) !== undefined &&
    inTable(target.kind.blocks, head.text) === undefined
  ) {
    const members = statement.body ?? [];
    const written = target.values.get(head.text);
    const block = written === undefined ? null : blockIn(target, written, head.text);
    if (written !== undefined && block !== null) {
      target.values.set(head.text, withMore(written, block, members, by));
      target.evaluated.clear();
      return;
    }
    if (written === undefined || members.some((m) => m.kind !== "assign")) {
      if (inTable(target.kind.properties, head.text)?.required === true) target.strangers.add(head.text);
      target.context.report(notABlock(target, head, written === undefined ? members : [], statement.span.end));
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

/** What any block may say of itself: whether it is there. */
const condition: Property = { type: bool, doc: "whether the block is there" };

function declareNested(target: Instance, statement: Block, name: Name, by: Written): void {
  const kindName = statement.head[0].text;
  const kind = inTable(target.kind.nested, kindName);
  if (kind === undefined) {
    const property = kindName === "when" ? condition : inTable(target.kind.properties, kindName);
    if (property?.required === true) target.strangers.add(kindName);
    const meant = property === undefined ? null : withoutEqual(statement, name, property);
    if (meant !== null) return target.context.report(meant);
    if (inTable(target.kind.blocks, kindName) !== undefined) {
      const what = `a name behind \`${kindName}\``;
      const span = { ...name.span, start: statement.head[0].span.end };
      const fixes = [replacement(span, "", `write \`${kindName} { … }\``)];
      target.strangeGroups.add(kindName);
      target.context.report(
        misplaced(name.span, { what, where: `in ${describeInstance(target)}, which has only one` }, { fixes }),
      );
      return;
    }
    const isSwapped = inTable(target.kind.nested, name.text) !== undefined;
    const details = isSwapped
      ? { fixes: [swappedHeader(statement.head[0], name)] }
      : suggest(statement.head[0].span, kindName, memberNames(target.kind));
    target.context.report(
      unknownProperty(
        statement.head[0].span,
        { name: kindName, where: describeInstance(target), hint: belongs(kindName, target) },
        details,
      ),
    );
    return;
  }
  const child = newInstance(kind, name.text, target, name.span, target.context);
  target.blocks.set(name.text, child);
  applyBody(child, statement.body ?? [], by);
}

/** `a.b` as the user wrote it. */
export const pathText = (path: Path): string => path.map((n) => n.text).join(".");
