/** Names that a block does not know: what was meant, and what to write instead. */
import type { Diagnostic, Fix } from "../../diagnostics/diagnostic.ts";
import { foreignProperty, unknownProperty } from "../../diagnostics/catalog/properties.ts";
import { nearest } from "../../diagnostics/nearest.ts";
import { removal, replacement, suggest } from "../../diagnostics/suggest.ts";
import type { BlockKind } from "../../kind.ts";
import type { Assign, Name } from "../../syntax/ast.ts";
import { meanings } from "../../types/type.ts";
import { belongs } from "./belongs.ts";
import { describeInstance, enclosing, type Instance, type Written } from "./instance.ts";
import { inTable } from "../../in-table.ts";

/** All names that may stand in a block of a kind. */
export function memberNames(kind: BlockKind): string[] {
  return [...Object.keys(kind.properties), ...Object.keys(kind.blocks ?? {}), ...Object.keys(kind.nested ?? {})];
}

export function unknownMember(target: Instance, head: Name, by: Written | null, statement?: Assign): void {
  if (statement === undefined) target.strangeGroups.add(head.text);
  // `source { … }` lacks only its name.
  const isNested = statement === undefined && inTable(target.kind.nested, head.text) !== undefined;
  const foreign = isNested
    ? undefined
    : (inTable(target.kind.foreign, head.text) ??
      (statement === undefined ? undefined : inTable(switches, head.text)));
  if (foreign !== undefined) {
    const written =
      statement === undefined
        ? ""
        : statement.value.span.source.text.slice(statement.value.span.start, statement.value.span.end);
    const meant = /^(\w+) =/.exec(foreign.rewrite?.("") ?? "")?.[1] ?? /`(\w+) =/.exec(foreign.instead)?.[1];
    const isSaid = meant !== undefined && target.values.get(meant)?.by === by;
    const group = /^write `(\w+) \{/.exec(foreign.instead)?.[1];
    const says = foreign.rewrite === undefined ? null : rewritten(foreign.rewrite, written);
    const isNothing = says === null || isSaid || says === "when = true";
    const fix =
      statement === undefined || (isNothing && group !== undefined)
        ? []
        : [isNothing ? removal(statement.span) : replacement(statement.span, says)];
    if (by !== null) standIn(target, meant, head, by);
    if (group !== undefined) target.strangeGroups.add(group);
    const argument = /`\w+ = \w+\((\w+) =/.exec(foreign.instead)?.[1];
    if (argument !== undefined) (target.strangeArguments ??= new Set()).add(argument);
    // What is switched off need not say what it lacks.
    if (meant === "when") target.strangers.add(head.text);
    target.context.report(foreignProperty(head.span, { name: head.text, instead: foreign.instead }, { fixes: fix }));
    return;
  }
  if (statement !== undefined && (head.text === "expect" || head.text === "assert"))
    return target.context.report(conditionGiven(head, statement, target));
  const clause = ordering.has(head.text) ? "after" : head.text;
  if (by !== null && inHeader(target, clause)) return headerClause(target, head, clause, statement);
  const made = statement === undefined ? madeBy(head, target) : null;
  if (made !== null) return target.context.report(made);
  const names = by === null ? amendable(target) : memberNames(target.kind);
  const near = nearest(head.text, names);
  if (by !== null && near !== null) standIn(target, near, head, by);
  const isSaid =
    near !== null && target.values.get(near)?.by === by && target.values.get(near)?.nameSpan !== head.span;
  // What is said already is not what was meant, where a block around it has just this name.
  const around = isSaid && statement !== undefined ? aroundWith(head.text, target) : null;
  if (around !== null) {
    target.strangers.add(head.text);
    around.strangers.add(head.text);
    const hint = `it belongs to the ${around.kind.name} around it`;
    const slots = { name: head.text, where: describeInstance(target), hint };
    return target.context.report(
      unknownProperty(head.span, slots, {
        valid: [...names].sort(),
        fix: `Move the line out of \`${target.kind.name} { … }\`.`,
      }),
    );
  }
  const suggested = suggest(head.span, head.text, names);
  // Under its right name it would be said twice.
  const details = isSaid && statement !== undefined ? { ...suggested, fixes: [removal(statement.span)] } : suggested;
  if (near === null) target.strangers.add(head.text);
  const hint = near === null ? belongs(head.text, target) : null;
  const slots = { name: head.text, where: describeInstance(target), hint };
  target.context.report(unknownProperty(head.span, slots, details));
}

const aroundWith = (name: string, { parent }: Instance): Instance | null =>
  [...enclosing(parent)].find(({ kind }) => Object.hasOwn(kind.properties, name)) ?? null;

/** Whether a block is there at all, as other formats say it in any of theirs. */
const instead = "`when = …` says whether the block is there";
const isOn = { instead, rewrite: (written: string) => `when = ${written}` };
const switches: NonNullable<BlockKind["foreign"]> = {
  enabled: isOn,
  enable: isOn,
  disabled: { instead, rewrite: (written) => `when = ${opposite[written] ?? `not ${written}`}` },
};
const opposite: Readonly<Record<string, string>> = { true: "false", false: "true" };

/** A rule adds the unit that a plain number lacks; what is no plain number says its own. */
function rewritten(rewrite: (written: string) => string, written: string): string {
  const text = rewrite(written);
  if (/^[\d_.]+(?:e[+-]?\d+)?(?: ?[KMBT]i?)?$/i.test(written)) return text;
  const behind = text.indexOf(written) + written.length;
  return text.slice(0, behind) + text.slice(behind).replace(/^ [a-z_]+/, "");
}

/** What `after` is called elsewhere. */
const ordering: ReadonlySet<string> = new Set(["depends_on", "depends", "needs", "requires", "dependencies"]);

/** Words of a block's header, which others write inside. */
function inHeader({ kind, name, parent }: Instance, word: string): boolean {
  return (
    name !== null &&
    ((word === "extends" && parent === null) || kind.clauses?.some((clause) => clause === word) === true)
  );
}

function headerClause(target: Instance, head: Name, clause: string, statement?: Assign): void {
  const { source, start, end } = (statement?.value ?? head).span;
  const value = /^["[]?([\w.]+)["\]]?$/.exec(source.text.slice(start, end))?.[1];
  const header = /^[^{}\r\n"]*(?=\{)/.exec(source.text.slice(target.span.end))?.[0];
  const isNear = header !== undefined && target.span.source.path === source.path && target.span.end < start;
  const written = `${clause} ${value ?? "…"}`;
  const fixes: Fix[] = [];
  if (statement !== undefined && value !== undefined && isNear) {
    const at = target.span.end + header.trimEnd().length;
    const insertion = { span: { source, start: at, end: at }, newText: ` ${written}` };
    fixes.push({ title: "move it there", edits: [insertion, ...removal(statement.span).edits] });
  }
  // What it extends may say all that it needs.
  if (clause === "extends") for (const name of Object.keys(target.kind.properties)) target.strangers.add(name);
  const where = `before the brace: \`${target.kind.name} ${target.name ?? ""} ${written} { … }\``;
  const hint =
    clause === head.text
      ? `it belongs ${where}`
      : `steps that it reads come first automatically; for others write \`after\`, ${where}`;
  const fix = `Write \`${written}\` before the \`{\`, and remove the line.`;
  target.context.report(
    unknownProperty(head.span, { name: head.text, where: describeInstance(target), hint }, { fixes, fix }),
  );
}

/** `head` says a property in other words: that the property itself is absent would be a second message about one mistake. */
function standIn(target: Instance, meant: string | undefined, head: Name, by: Written): void {
  if (meant === undefined || !(meant in target.kind.properties) || target.values.has(meant)) return;
  const expression = { kind: "missing" as const, span: head.span };
  target.values.set(meant, { kind: "value", expression, nameSpan: head.span, by, patches: [] });
}

/** `expect = loss < 3`: the word is followed by its condition. */
function conditionGiven({ text: name, span }: Name, { value }: Assign, target: Instance): Diagnostic {
  const edit = replacement({ ...span, start: span.end, end: value.span.start }, " ", "remove the `=`");
  const slots = {
    name,
    where: describeInstance(target),
    hint: `the condition follows it without a sign, \`${name} a <= b\``,
  };
  return unknownProperty(span, slots, { fixes: [edit] });
}

/** What may be amended by its name: what was declared inside, where anything was. */
function amendable({ kind, blocks }: Instance): string[] {
  const declared = [...blocks].flatMap(([name, { name: own, kind }]) =>
    own === null || kind.open === true ? [] : [name],
  );
  return declared.length > 0 ? [...declared, ...Object.keys(kind.blocks ?? {})] : memberNames(kind);
}

/** `slurm { time = 3 h }`: a word of a choice with its arguments in braces, and without the property that it is a value of. */
function madeBy(head: Name, target: Instance): Diagnostic | null {
  const { text, span } = head;
  const [property] =
    Object.entries(target.kind.properties).find(([, { type }]) =>
      meanings(type).some((t) => t.kind === "choice" && Object.hasOwn(t.constructors, text)),
    ) ?? [];
  if (property === undefined) return null;
  target.strangers.add(property);
  const body = /^\s*\{([^{}]*)\}/.exec(span.source.text.slice(span.end));
  const end = span.end + (body?.[0].length ?? 0);
  const call = `${property} = ${text}(${body?.[1]?.trim() ?? "…"})`;
  const fixes =
    body === null ? [] : [replacement({ ...span, end }, call, `write \`${call.replaceAll(/\s+/g, " ")}\``)];
  const hint = `it is a value of \`${property}\`, \`${property} = ${text}(…)\``;
  return unknownProperty(span, { name: text, where: describeInstance(target), hint }, { fixes });
}
