/** What of one block nothing carries out, and the blocks that it speaks of. */
import { inTable } from "../../../dsl/in-table.ts";
import type { Instance } from "../../../dsl/eval/blocks/instance.ts";
import { groupOf } from "../../../dsl/eval/blocks/property.ts";
import { isPresent } from "../../../dsl/eval/declarations/lookup.ts";
import type { Span } from "../../../dsl/source/source.ts";
import { expectationsOf, textIn } from "../resolve/expectations.ts";
import { choiceAt } from "../resolve/read.ts";
import { conversationsNotRun, weightsNotRun } from "./engine-only.ts";
import { type Looking, said } from "./values.ts";

/** What of a stage its engine takes care of: its layout, or with programs of its own what they compute and how as well. */
export type CarriedOut = "none" | "layout" | "all";

export interface View {
  readonly findings: readonly { readonly span: Span; readonly what: string; readonly isCompiled?: boolean }[];
  /** Blocks that it speaks of, and where. */
  readonly reads: readonly { readonly other: Instance; readonly span: Span }[];
}

export function viewOf(block: Instance, carriedOut: CarriedOut, mounted: (path: string) => boolean): View {
  const findings: { span: Span; what: string; isCompiled: boolean }[] = [];
  const reads: { other: Instance; span: Span }[] = [];
  look(block, {
    block,
    carriedOut,
    mounted,
    note: (span, what, isCompiled = false) => findings.push({ span, what, isCompiled }),
    read: (other, span) => reads.push({ other, span }),
  });
  for (const clause of [block.clauses.on, ...block.clauses.after]) {
    const symbol = clause === null ? null : block.context.resolve(clause.path, clause.module);
    const other = symbol === null ? null : block.context.instanceOf(symbol);
    if (clause !== null && other !== null) reads.push({ other, span: clause.path[0].span });
  }
  return { findings, reads };
}

/** An engine with programs of its own says itself what it has of these. */
const judged: ReadonlySet<string> = new Set(["precision", "optimizer", "schedule"]);

interface LookingAtStage extends Looking {
  readonly carriedOut: CarriedOut;
}

function look(instance: Instance, looking: LookingAtStage): void {
  const { kind, context } = instance;
  const { note } = looking;
  if (kind.runs === false && instance.parent !== null) {
    note(extentOf(instance), `\`${kind.name}\``);
    return;
  }
  // Every step goes where the launch says.
  if (kind.name !== "launch" && instance.clauses.on !== null) note(instance.span, "`on`");
  const choices = choicesOf(instance);
  for (const [name, property] of Object.entries(kind.properties)) {
    if (!instance.values.has(name) && !instance.evaluated.has(name)) continue;
    const value = context.property(instance, name, instance.span);
    if (value.origin.kind === "default") continue;
    const isJudged = looking.carriedOut === "all" && judged.has(name);
    const isCompiled = property.compiledBeside?.some((choice) => choices.has(choice)) === true;
    const noted: Looking["note"] = isJudged
      ? () => undefined
      : (span, what, compiled) => note(span, what, compiled === true || isCompiled);
    said(value, property, `\`${name}\``, { ...looking, note: noted });
  }
  for (const { node } of instance.bounds) {
    const [{ text }] = node.target;
    if (inTable(kind.properties, text)?.runs === false) note(node.span, `\`${text} ${node.op} …\``);
  }
  for (const { span, what } of conversationsNotRun(instance, looking.carriedOut)) note(span, what);
  for (const { span, what } of weightsNotRun(instance, looking.carriedOut)) note(span, what);
  const watched = kind.name === "stage" ? expectationsOf(instance).map(({ source }) => source) : [];
  for (const { node } of instance.checks) {
    if (node.kind === "expect" && !watched.includes(textIn(node))) note(node.span, `\`${textIn(node)}\``);
  }
  for (const name of Object.keys(kind.blocks ?? {})) {
    const group = groupOf(instance, name);
    const isDone = name === "layout" && looking.carriedOut !== "none";
    if (group !== null && !isEmpty(group) && !isDone) look(group, looking);
  }
  for (const child of instance.blocks.values()) if (child.name !== null && isPresent(child)) look(child, looking);
}

/** The words that a block has chosen, where some of its properties are for one of them alone. */
function choicesOf(instance: Instance): ReadonlySet<string> {
  const asking = Object.values(instance.kind.properties).some(({ compiledBeside }) => compiledBeside !== undefined);
  const names = asking ? Object.keys(instance.kind.properties) : [];
  return new Set(names.flatMap((name) => choiceAt(instance, name)?.name ?? []));
}

/** From a group's name to the end of what it says. */
function extentOf(group: Instance): Span {
  const own = [...group.values.values()].map(({ expression }) => expression.span);
  const spans = [...own, ...[...group.blocks.values()].map(extentOf)].filter((s) => s.source === group.span.source);
  return { ...group.span, end: Math.max(group.span.end, ...spans.map(({ end }) => end)) };
}

const isEmpty = ({ values, blocks, bounds }: Instance): boolean => values.size + blocks.size + bounds.length === 0;
