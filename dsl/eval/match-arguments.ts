import { argumentPositional, argumentTwice, argumentUnknown } from "../diagnostics/catalog/calls.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { replacement, suggest } from "../diagnostics/suggest.ts";
import type { Constructor } from "../kind.ts";
import type { Argument, Expression } from "../syntax/ast.ts";
import type { Context } from "./context.ts";
import { listOf, positionalAt } from "./positional.ts";

export interface Given {
  readonly of: ReadonlyMap<string, Expression>;
  /** Whether a parameter that lacks its value may have been meant by something that no parameter takes. */
  readonly meant: (parameter: string) => boolean;
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
  let unnamedFound = false;
  const parameters = Object.keys(constructor.parameters);
  const listed = listOf(constructor);
  let next = 0;
  for (const argument of written) {
    const isNext = argument.name === null;
    const parameter = argument.name?.text ?? positionalAt(constructor, next++);
    if (parameter === undefined) {
      if (unnamedFound) continue;
      unnamedFound = true;
      const unnamed = written.filter((each) => each.name === null);
      const span = { ...argument.span, end: unnamed.at(-1)?.span.end ?? argument.span.end };
      const free = parameters.find((p) => !given.has(p));
      const fixes =
        free === undefined
          ? []
          : [replacement({ ...argument.span, end: argument.span.start }, `${free} = `, `write \`${free} = …\``)];
      context.report(argumentPositional(span, { of: name }, { valid: parameters, fixes }));
      if (free !== undefined && unnamed.length === 1) given.set(free, argument.value);
    } else if (!parameters.includes(parameter)) {
      const span = argument.name?.span ?? argument.span;
      const meant = parameters.find((each) => constructor.parameters[each]?.also?.includes(parameter) === true);
      strangers.add(meant ?? nearest(parameter, parameters) ?? "");
      const details =
        meant === undefined
          ? suggest(span, parameter, parameters)
          : { valid: parameters, fixes: [replacement(span, meant)] };
      context.report(argumentUnknown(span, { name: parameter, of: name }, details));
    } else if (isNext && parameter === listed && next > (constructor.positional?.length ?? 0)) {
      const before = given.get(parameter);
      given.set(parameter, before === undefined ? argument.value : withItem(before, argument.value));
    } else if (given.has(parameter)) context.report(argumentTwice(argument.span, { name: parameter }));
    else given.set(parameter, argument.value);
  }
  return { of: given, meant: (parameter) => unnamedFound || strangers.has(parameter) };
}

/** `email, phone` is the list of both. */
function withItem(before: Expression, item: Expression): Expression {
  const items = before.kind === "list" ? before.items : [before];
  return { kind: "list", items: [...items, item], span: { ...before.span, end: item.span.end } };
}
