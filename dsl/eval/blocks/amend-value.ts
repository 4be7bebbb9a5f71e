/** Amendments of what a property says: one argument of a choice, more on a block that it refers to. */
import { amendNothing } from "../../diagnostics/catalog/properties.ts";
import { misplaced } from "../../diagnostics/catalog/names.ts";
import { replacement } from "../../diagnostics/suggest.ts";
import type { Type } from "../../kind.ts";
import type { Span } from "../../source/source.ts";
import type { Assign, Name, Statement } from "../../syntax/ast.ts";
import { alternatives, meanings } from "../../types/type.ts";
import type { Valued } from "../../types/value.ts";
import { describeInstance, type Instance, type ValueEntry, type Written } from "./instance.ts";
import { inTable } from "../../in-table.ts";

/** `optimizer.lr = 3e-5`. */
export function patch(target: Instance, statement: Assign, by: Written): void {
  const [head, ...rest] = statement.target;
  const entry = target.values.get(head.text);
  if (entry === undefined) {
    if (inTable(target.kind.properties, head.text)?.default === undefined) {
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

/** The declared block that a property refers to, if it refers to one. */
export function blockIn(target: Instance, entry: ValueEntry, name: string): Valued | null {
  const type = inTable(target.kind.properties, name)?.type ?? null;
  if (!alternatives(type).some((t) => t.kind === "block")) return null;
  const scope = { module: entry.by.module, locals: entry.by.locals, self: target };
  const value = target.context.evaluate(entry.expression, scope, type, `\`${name}\``);
  return value.value.kind === "block" ? value : null;
}

/** `gpu { memory = 80 GB }` where `gpu` refers to a declared block: a copy with more said, `gpu = base with { … }`. */
export function withMore(entry: ValueEntry, base: Valued, body: readonly Statement[], by: Written): ValueEntry {
  const name: Name = { kind: "name", text: "the amended block", quoted: true, span: entry.expression.span };
  const reference = { kind: "reference" as const, name, span: entry.expression.span };
  const expression = { kind: "with" as const, base: reference, body, span: entry.expression.span };
  return { ...entry, expression, by: { ...by, locals: new Map([...by.locals, [name.text, base]]) } };
}

export function notABlock(target: Instance, head: Name, body: readonly Statement[], end: number) {
  const property = inTable(target.kind.properties, head.text);
  const choices = meanings(property?.type ?? null).filter((t) => t.kind === "choice");
  const call = choices.length === 0 ? null : callOf(choices, body);
  const behind = { ...head.span, start: head.span.end };
  const fixes =
    call !== null
      ? [replacement({ ...behind, end }, ` = ${call}`, `write \`${head.text} = ${call.replaceAll(/\s+/g, " ")}\``)]
      : choices.length === 0
        ? [replacement({ ...behind, end: behind.start }, " =")]
        : [];
  const fix = choices.length === 0 ? {} : { fix: `Write the choice as a call: \`${head.text} = …(…)\`.` };
  const valid = choices.flatMap(({ constructors }) => Object.keys(constructors));
  return misplaced(
    head.span,
    {
      what: `\`${head.text} { … }\``,
      where: `in ${describeInstance(target)}: \`${head.text}\` is a property, which is set with \`=\``,
    },
    { fixes, valid, ...fix },
  );
}

type Choice = Extract<Type, { kind: "choice" }>;

/** The first choice that takes all that the block says, as a call; `null` where none does. */
function callOf(choices: readonly Choice[], body: readonly Statement[]): string | null {
  const names = body.map((said) => (said.kind === "assign" && said.target.length === 1 ? said.target[0].text : ""));
  const [name] =
    choices
      .flatMap(({ constructors }) => Object.entries(constructors))
      .find(([, { parameters }]) => names.every((each) => Object.hasOwn(parameters, each))) ?? [];
  const [first, last] = [body[0]?.span, body.at(-1)?.span];
  if (name === undefined || first === undefined || last === undefined) return null;
  return `${name}(${first.source.text.slice(first.start, last.end).trim()})`;
}
