/** Values that amendments took the place of: no mistake in one of them is taken away with it. */
import { inTable } from "../../in-table.ts";
import type { Span } from "../../source/source.ts";
import type { Expression } from "../../syntax/ast.ts";
import type { Instance, ValueEntry } from "./instance.ts";
import { passOver } from "../judgement/pass-over.ts";
import type { Scope } from "../scope.ts";

/** A value that is no longer asked for, and how it would be. */
export interface AmendedAway {
  readonly expression: Expression;
  readonly scope: Scope;
  /** Where its mistakes lie. */
  readonly span: Span;
  readonly ask: () => void;
}

/** Notes what a block says by a name; something else is about to be said. */
export function amendedAway(target: Instance, name: string): void {
  const { context, kind } = target;
  const entry = target.values.get(name);
  if (entry !== undefined) {
    const group = inTable(kind.blocks, name);
    const scope: Scope = { module: entry.by.module, locals: entry.by.locals, self: target };
    if (group === undefined) noteValue(target, name, entry);
    else
      passOver(
        [entry.expression],
        null,
        { scope, expected: { kind: "block", kinds: [group.name], group }, what: `\`${name}\`` },
        context,
      );
  }
  const child = target.blocks.get(name);
  if (child !== undefined) blockAway(child);
}

/** All that a block says, which is there no longer. */
export function blockAway(block: Instance): void {
  const { context, kind } = block;
  for (const name of new Set([...block.values.keys(), ...block.blocks.keys()])) amendedAway(block, name);
  for (const { node, by } of block.bounds) {
    const name = node.target[0].text;
    const type = inTable(kind.properties, name)?.type;
    if (type === undefined) continue;
    const expected = node.op === "in" ? ({ kind: "list", element: type } as const) : type;
    const scope: Scope = { module: by.module, locals: by.locals, self: block };
    passOver([node.value], null, { scope, expected, what: `\`${name}\`` }, context);
  }
}

function noteValue(target: Instance, name: string, entry: ValueEntry): void {
  const { context } = target;
  // `when` is no property, and its only type is asked for where it is judged.
  if (inTable(target.kind.properties, name) === undefined) return;
  const ask = () => {
    const before: Instance = { ...target, values: new Map([...target.values, [name, entry]]), evaluated: new Map() };
    context.property(before, name, entry.nameSpan);
  };
  for (const { expression, nameSpan, by } of [entry, ...entry.patches]) {
    const scope: Scope = { module: by.module, locals: by.locals, self: target };
    const isTogether = nameSpan.source === expression.span.source && nameSpan.start <= expression.span.start;
    const span = isTogether ? { ...nameSpan, end: expression.span.end } : expression.span;
    context.away.push({ expression, scope, span, ask });
  }
}
