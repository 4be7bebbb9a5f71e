/** What stands in a sweep beside its `vary`, as files of other tools say it: `lr = [1e-3, 3e-3]`, `parameters { … }`. */
import { unknownProperty } from "../../diagnostics/catalog/properties.ts";
import type { Diagnostic, Fix } from "../../diagnostics/diagnostic.ts";
import { removal, replacement } from "../../diagnostics/suggest.ts";
import { inTable } from "../../in-table.ts";
import type { Expression, Path, Statement } from "../../syntax/ast.ts";
import { rewrittenText } from "../expressions/rewritten-call.ts";
import { describeInstance, type Instance } from "../blocks/instance.ts";
import { isChoice, varyGroup } from "../blocks/is-beside-vary.ts";
import { leafMeant } from "./leaf.ts";

/** The block whose leaves vary, of a sweep that may not say `vary` at all. */
function subjectBeside(sweep: Instance, group: string): Instance | null {
  const varies = inTable(sweep.kind.blocks, group)?.varies;
  if (varies === undefined || !sweep.values.has(varies)) return null;
  const { value } = sweep.context.property(sweep, varies, sweep.span);
  return value.kind === "block" ? value.block : null;
}

/** Each of them, with the `vary` that says it. */
export function* besideVary(sweep: Instance): Generator<Diagnostic> {
  const group = varyGroup(sweep);
  if (group === undefined) return;
  const subject = subjectBeside(sweep, group);
  for (const { node } of sweep.amendments) {
    if (node.kind !== "assign" && node.kind !== "bound" && node.kind !== "block") continue;
    const head = node.kind === "block" ? node.head[0] : node.target[0];
    const sets = (node.kind === "block" ? (node.body ?? []) : [node]).map((each) => setOf(each, subject));
    const hint = `varied properties belong in \`${group}\`, with their values after \`in\``;
    const fixes = sets.includes(null) || sets.length === 0 ? [] : [written(node, sets.join(", "), group, sweep)];
    const fix = `Write \`${group} { optimizer.lr in [1e-4, 3e-4] }\`, with the names of the varied properties.`;
    yield unknownProperty(head.span, { name: head.text, where: describeInstance(sweep), hint }, { fixes, fix });
  }
}

/** `vary { seed = 3 }`: what varies runs through a set. */
export function* withoutIn(group: Instance, subject: Instance | null): Generator<Diagnostic> {
  for (const { node } of group.amendments) {
    if (node.kind !== "assign") continue;
    const set = inSet(node.target, valuesOf(node.value), subject);
    const hint = "a varied property takes a list or a range, after `in`";
    const where = `\`${group.kind.name}\``;
    const [head] = node.target;
    yield unknownProperty(head.span, { name: head.text, where, hint }, { fixes: [replacement(node.span, set)] });
  }
}

function written({ span }: Statement, sets: string, group: string, sweep: Instance): Fix {
  const there = sweep.blocks.get(group)?.span;
  const brace = there === undefined ? null : /^\s*\{/.exec(there.source.text.slice(there.end));
  if (there === undefined || brace === null || there.source.path !== span.source.path)
    return replacement(span, `${group} { ${sets} }`);
  const at = there.end + brace[0].length;
  const insertion = { span: { ...there, start: at, end: at }, newText: ` ${sets},` };
  return { title: `write \`${sets}\` in \`${group}\``, edits: [insertion, ...removal(span).edits] };
}

/** `optimizer.lr in [1e-3, 3e-3]` for what says so in another form, or `null` where it says something else. */
function setOf(statement: Statement, subject: Instance | null): string | null {
  if (statement.kind === "assign") return inSet(statement.target, valuesOf(statement.value), subject);
  if (statement.kind === "bound")
    return statement.op === "in" ? inSet(statement.target, textOf(statement.value), subject) : null;
  if (statement.kind !== "block" || statement.name !== null) return null;
  const [only, ...others] = statement.body ?? [];
  return only?.kind === "assign" && others.length === 0 && /^(?:values|choices)$/.test(only.target[0].text)
    ? inSet(statement.head, valuesOf(only.value), subject)
    : null;
}

function inSet(path: Path, values: string, subject: Instance | null): string {
  const names = path.map(({ text }) => text);
  return `${(subject === null ? null : leafMeant(subject, names)) ?? names.join(".")} in ${values}`;
}

/** `choice(8, 16)` and a value by itself are lists, `range(3)` is a range. */
function valuesOf(value: Expression): string {
  if (value.kind === "list" || value.kind === "range") return textOf(value);
  const range = value.kind === "call" && textOf(value.callee) === "range" ? rewrittenText("range", value) : null;
  if (range !== null) return range;
  if (!isChoice(value)) return `[${textOf(value)}]`;
  const [only, ...others] = value.arguments.map((each) => each.value);
  return only?.kind === "list" && others.length === 0
    ? textOf(only)
    : `[${value.arguments.map((each) => textOf(each.value)).join(", ")}]`;
}

const textOf = ({ span: { source, start, end } }: Expression): string => source.text.slice(start, end);
