import { argumentPositional, argumentTwice, argumentUnknown } from "../../diagnostics/catalog/calls.ts";
import { tuple } from "../../diagnostics/catalog/syntax.ts";
import type { Fix } from "../../diagnostics/diagnostic.ts";
import { nearest } from "../../diagnostics/nearest.ts";
import { replacement, suggest } from "../../diagnostics/suggest.ts";
import type { Constructor } from "../../kind.ts";
import type { Span } from "../../source/source.ts";
import type { Argument, Expression } from "../../syntax/ast.ts";
import { chosenByWord } from "./choosing.ts";
import type { Context } from "../context.ts";
import { listed as inWords } from "../listed.ts";
import { listOf, positionalAt } from "./positional.ts";
import { alternatives } from "../../types/type.ts";
import { inTable } from "../../in-table.ts";

export interface Given {
  readonly of: ReadonlyMap<string, Expression>;
  /** Whether a parameter that lacks its value may have been meant by something that no parameter takes. */
  readonly meant: (parameter: string) => boolean;
  /** Names that are near to no parameter, and that may each have been meant for one that lacks its value. */
  readonly others: number;
}

/** What is given to each parameter, by its name or by its place; mistakes are reported. */
export function matchArguments(
  name: string,
  constructor: Constructor,
  written: readonly Argument[],
  context: Context,
): Given {
  const given = new Map<string, Expression>();
  const strangers = new Set<string>();
  const told = new Set<string>();
  let unnamedFound = false;
  let others = 0;
  const parameters = Object.keys(constructor.parameters);
  const listed = listOf(constructor);
  let next = 0;
  for (const argument of withLists(constructor, written, context)) {
    const bounded = boundIn(argument, parameters);
    if (bounded !== null) {
      const fixes = [replacement(bounded.sign, "=", `write \`${bounded.parameter} = …\``)];
      context.report(argumentPositional(argument.span, { of: name, bounded: bounded.parameter }, { fixes }));
      given.set(bounded.parameter, bounded.value);
      continue;
    }
    const isNext = argument.name === null;
    const parameter = argument.name?.text ?? positionalAt(constructor, next++);
    if (parameter === undefined) {
      if (unnamedFound) continue;
      unnamedFound = true;
      const unnamed = written.filter((each) => each.name === null);
      const span = { ...argument.span, end: unnamed.at(-1)?.span.end ?? argument.span.end };
      const named = new Set(written.map((each) => each.name?.text));
      const open = parameters.filter((p) => !given.has(p) && !named.has(p));
      const [free] = open;
      // What a list takes may be several of them.
      const isList = (p: string): boolean =>
        alternatives(inTable(constructor.parameters, p)?.type ?? null).some(({ kind }) => kind === "list");
      const behind = unnamed.slice(unnamed.indexOf(argument));
      const fixes = namesFor(open.slice(0, behind.length).some(isList) ? [argument] : behind, open);
      const fix = `\`${name}\` takes ${parameters.length === 0 ? "no arguments" : inWords(parameters.map((each) => `\`${each}\``))} and nothing else: leave the rest out.`;
      const details = free === undefined ? { fix } : { fixes };
      context.report(argumentPositional(span, { of: name }, { valid: parameters, ...details }));
      if (free !== undefined && unnamed.length === 1) given.set(free, argument.value);
    } else if (!parameters.includes(parameter)) {
      const span = argument.name?.span ?? argument.span;
      const meant = parameters.find(
        (each) => inTable(constructor.parameters, each)?.also?.includes(parameter) === true,
      );
      const instead = inTable(constructor.foreign, parameter);
      // `beta1` and `beta2` are one slip: what to write instead is one argument.
      if (instead !== undefined && told.has(instead)) continue;
      if (instead !== undefined) told.add(instead);
      const near = meant ?? /`(\w+)/.exec(instead ?? "")?.[1] ?? nearest(parameter, parameters);
      if (near === null) others++;
      else strangers.add(near);
      const details =
        meant !== undefined
          ? { valid: parameters, fixes: [replacement(span, meant)] }
          : instead !== undefined
            ? { valid: parameters, fix: `Write ${instead}.`, fixes: rewrittenAs(argument, parameter, constructor) }
            : (chosenByWord(parameter, name, parameters) ?? suggest(span, parameter, parameters));
      context.report(
        argumentUnknown(span, { name: parameter, others: alike(argument, written, constructor), of: name }, details),
      );
    } else if (isNext && parameter === listed && next > (constructor.positional?.length ?? 0)) {
      const before = given.get(parameter);
      given.set(parameter, before === undefined ? argument.value : withItem(before, argument.value));
    } else if (given.has(parameter)) context.report(argumentTwice(argument.span, { name: parameter }));
    else given.set(parameter, argument.value);
  }
  // Beside arguments that are known, another name is a mistake of its own.
  return {
    of: given,
    meant: (parameter) => unnamedFound || strangers.has(parameter),
    others: given.size > 0 ? 0 : others,
  };
}

/** `auto(total <= 7B params)`: the parameter, what it would be, and the sign between them. */
function boundIn(
  { name, value }: Argument,
  parameters: readonly string[],
): { readonly parameter: string; readonly value: Expression; readonly sign: Span } | null {
  if (name !== null || value.kind !== "binary" || !/^[<>=]=?$/.test(value.op)) return null;
  const { left, right } = value;
  if (left.kind !== "reference" || !parameters.includes(left.name.text)) return null;
  const { source, end } = left.span;
  const at = source.text.indexOf(value.op, end);
  return { parameter: left.name.text, value: right, sign: { source, start: at, end: at + value.op.length } };
}

/** The names of parameters in their order before as many arguments. */
function namesFor(unnamed: readonly Argument[], free: readonly string[]): readonly Fix[] {
  const edits = unnamed.flatMap(({ span }, index) => {
    const name = free[index];
    return name === undefined ? [] : { span: { ...span, end: span.start }, newText: `${name} = ` };
  });
  const title = `write ${free
    .slice(0, unnamed.length)
    .map((name) => `\`${name} = …\``)
    .join(", ")}`;
  return edits.length < unnamed.length ? [] : [{ title, edits }];
}

function rewrittenAs({ span, value }: Argument, name: string, { rewrites }: Constructor): readonly Fix[] {
  const { source, start, end } = value.span;
  const said = inTable(rewrites, name)?.(source.text.slice(start, end)) ?? null;
  return said === null ? [] : [replacement(span, said)];
}

/** The names of other arguments that one and the same thing is written for. */
function alike({ name }: Argument, written: readonly Argument[], { foreign }: Constructor): string[] {
  const instead = name === null ? undefined : inTable(foreign, name.text);
  if (instead === undefined) return [];
  return written.flatMap((other) =>
    other.name !== null && other.name !== name && inTable(foreign, other.name.text) === instead
      ? [other.name.text]
      : [],
  );
}

/** `betas = 0.9, 0.95`: what stands without names behind an argument that takes a list, and that nothing else takes, is in its list. */
function withLists(constructor: Constructor, written: readonly Argument[], context: Context): readonly Argument[] {
  const takesMore = listOf(constructor) !== undefined;
  const named = written.findIndex(({ name, value }, index) => {
    const { type = null } = (name === null ? undefined : inTable(constructor.parameters, name.text)) ?? {};
    return (
      written[index + 1]?.name === null &&
      value.kind !== "list" &&
      alternatives(type).some(({ kind }) => kind === "list")
    );
  });
  const first = written[named];
  if (first === undefined || takesMore) return written;
  const end = written.findIndex(({ name }, index) => index > named && name !== null);
  const items = written.slice(named, end < 0 ? undefined : end).map(({ value }) => value);
  const span = { ...first.value.span, end: items.at(-1)?.span.end ?? first.span.end };
  const said = `[${span.source.text.slice(span.start, span.end)}]`;
  context.report(tuple(span, {}, { fixes: [replacement(span, said)] }));
  const list: Argument = { ...first, value: { kind: "list", span, items } };
  return [...written.slice(0, named), list, ...written.slice(named + items.length)];
}

/** `email, phone` is the list of both. */
function withItem(before: Expression, item: Expression): Expression {
  const items = before.kind === "list" ? before.items : [before];
  return { kind: "list", items: [...items, item], span: { ...before.span, end: item.span.end } };
}
