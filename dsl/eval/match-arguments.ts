import { argumentPositional, argumentTwice, argumentUnknown } from "../diagnostics/catalog/calls.ts";
import { replacement, suggest } from "../diagnostics/suggest.ts";
import type { Constructor } from "../kind.ts";
import type { Argument, Expression } from "../syntax/ast.ts";
import type { Context } from "./context.ts";
import { listOf, positionalAt } from "./positional.ts";

/** What is given to each parameter, by its name or by its place; mistakes are reported. */
export function matchArguments(
  name: string,
  constructor: Constructor,
  written: readonly Argument[],
  context: Context,
): Map<string, Expression> {
  const given = new Map<string, Expression>();
  const parameters = Object.keys(constructor.parameters);
  const listed = listOf(constructor);
  let next = 0;
  for (const argument of written) {
    const isNext = argument.name === null;
    const parameter = argument.name?.text ?? positionalAt(constructor, next++);
    if (parameter === undefined) {
      const free = parameters.find((p) => !given.has(p));
      const fixes =
        free === undefined
          ? []
          : [replacement({ ...argument.span, end: argument.span.start }, `${free} = `, `write \`${free} = …\``)];
      context.report(argumentPositional(argument.span, { of: name }, { valid: parameters, fixes }));
      // What it probably is: its absence would be a second message about one mistake.
      if (free !== undefined) given.set(free, argument.value);
    } else if (!parameters.includes(parameter)) {
      const span = argument.name?.span ?? argument.span;
      context.report(argumentUnknown(span, { name: parameter, of: name }, suggest(span, parameter, parameters)));
    } else if (isNext && parameter === listed && next > (constructor.positional?.length ?? 0)) {
      const before = given.get(parameter);
      given.set(parameter, before === undefined ? argument.value : withItem(before, argument.value));
    } else if (given.has(parameter)) context.report(argumentTwice(argument.span, { name: parameter }));
    else given.set(parameter, argument.value);
  }
  return given;
}

/** `email, phone` is the list of both. */
function withItem(before: Expression, item: Expression): Expression {
  const items = before.kind === "list" ? before.items : [before];
  return { kind: "list", items: [...items, item], span: { ...before.span, end: item.span.end } };
}
